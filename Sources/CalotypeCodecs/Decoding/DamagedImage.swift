import CalotypeCore
import FoundationEssentials

/// A decoder that can extract the intact part of a damaged file as a valid file.
protocol DamageRepairing {
    /// Returns the intact part as a file; `nil` if that gains nothing.
    ///
    /// - Throws: `DecodeError` with `outOfMemory`.
    func repaired(_ file: Data) throws(DecodeError) -> Data?
}

/// A decoder that implements `DecodeOptions.damage` itself.
package protocol DamageShowing {}

extension ImageDecoder {
    /// Decodes an image in the colours that the options request, or the readable part of it if they allow
    /// that.
    func decode(_ data: Data, as format: ImageFormat, options: DecodeOptions) throws(DecodeError) -> Image {
        guard options.keepsSomeColors, !(self is any DamageShowing) else {
            return try decodeSound(data, as: format, options: options)
        }
        var stored = options
        stored.convertsToSRGB = false
        let image = try decodeSound(data, as: format, options: stored)
        if let retained = image.retainingColors(ofFile: format) { return retained }
        var converted = options
        converted.keepsWideGamut = false
        return try decodeSound(data, as: format, options: converted)
    }

    /// Decodes an image, or the readable part of it if the options allow that.
    private func decodeSound(
        _ data: Data,
        as format: ImageFormat,
        options: DecodeOptions
    ) throws(DecodeError) -> Image {
        do {
            return try decode(data, options: options)
        } catch {
            guard options.damage == .allowsPartialImage, error.isDamage, !(self is any DamageShowing) else {
                throw error
            }
            guard let part = try part(of: data, as: format, options) else { throw error }
            return part.markedPartial()
        }
    }

    /// Decodes the readable part of a damaged image, trying the most complete one first.
    private func part(
        of data: Data,
        as format: ImageFormat,
        _ options: DecodeOptions
    ) throws(DecodeError) -> Image? {
        if let repaired = try (self as? any DamageRepairing)?.repaired(data),
            let image = try soundImage(repaired, options)
        {
            return image
        }
        if options.frames == .all {
            var first = options
            first.frames = .first
            if let image = try soundImage(data, first) { return image }
        }
        return try lastPreview(of: data, as: format, options)
    }

    private func soundImage(_ data: Data, _ options: DecodeOptions) throws(DecodeError) -> Image? {
        do {
            return try decode(data, options: options)
        } catch {
            guard error.isDamage else { throw error }
            return nil
        }
    }

    /// Decodes the image just before the damage, as if it had arrived slowly.
    private func lastPreview(
        of data: Data,
        as format: ImageFormat,
        _ options: DecodeOptions
    ) throws(DecodeError) -> Image? {
        guard let decoder = makeIncrementalDecoder(for: format, options: options) else { return nil }
        let byteCount = try appendSoundBytes(of: data, to: decoder)
        if byteCount == data.count, let preview = try preview(of: decoder) { return preview }
        // A decoder shows no preview after an error.
        guard let decoder = makeIncrementalDecoder(for: format, options: options) else { return nil }
        _ = try appendSoundBytes(of: data.prefix(byteCount), to: decoder)
        return try preview(of: decoder)
    }

    /// Appends bytes in steps until one of them fails.
    ///
    /// - Returns: The number of bytes without an error.
    private func appendSoundBytes(
        of data: Data,
        to decoder: any IncrementalDecoder
    ) throws(DecodeError) -> Int {
        let stepCount = 64
        let step = max(1, (data.count + stepCount - 1) / stepCount)
        var byteCount = 0
        while byteCount < data.count {
            let chunk = data.dropFirst(byteCount).prefix(step)
            do {
                try decoder.append(chunk)
            } catch {
                guard error.isDamage else { throw error }
                return byteCount
            }
            byteCount += chunk.count
        }
        return byteCount
    }

    private func preview(of decoder: any IncrementalDecoder) throws(DecodeError) -> Image? {
        do {
            guard let preview = try decoder.preview(), preview.rowCount > 0 else { return nil }
            return preview.image
        } catch {
            guard error.isDamage else { throw error }
            return nil
        }
    }
}

extension DecodeError {
    /// True if a part of the image may be readable.
    fileprivate var isDamage: Bool { code == .truncated || code == .corrupt }
}

extension Image {
    fileprivate func markedPartial() -> Image {
        var metadata = metadata
        metadata.isPartial = true
        return replacing(animation: animation, metadata: metadata)
    }
}
