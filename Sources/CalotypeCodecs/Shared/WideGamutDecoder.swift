import CCodecs
import CalotypeCore
import FoundationEssentials

/// Decodes an image of a wide gamut while its bytes arrive: previews in sRGB, and the whole file in its
/// colours at the end.
final class WideGamutDecoder: IncrementalDecoder {
    private let decoder: any ImageDecoder
    private let format: ImageFormat
    private let previews: any IncrementalDecoder
    private let options: DecodeOptions
    private var file = Data()

    private init(
        _ decoder: any ImageDecoder,
        _ format: ImageFormat,
        previews: any IncrementalDecoder,
        options: DecodeOptions
    ) {
        self.decoder = decoder
        self.format = format
        self.previews = previews
        self.options = options
    }

    /// Makes the decoder of a format for arriving bytes, wrapped if the options request other colours than
    /// those of previews.
    static func wrapping(
        _ decoder: any ImageDecoder,
        _ format: ImageFormat,
        _ options: DecodeOptions
    ) -> (any IncrementalDecoder)? {
        guard options.keepsSomeColors else {
            return decoder.makeIncrementalDecoder(for: format, options: options)
        }
        var shown = options
        shown.keepsWideGamut = false
        return decoder.makeIncrementalDecoder(for: format, options: shown).map {
            WideGamutDecoder(decoder, format, previews: $0, options: options)
        }
    }

    func append(_ chunk: Data) throws(DecodeError) {
        try previews.append(chunk)
        file.append(chunk)
    }

    func preview() throws(DecodeError) -> ImagePreview? { try previews.preview() }

    func finish() throws(DecodeError) -> Image { try decoder.decode(file, as: format, options: options) }
}

extension DecodeOptions {
    /// True if some files are decoded in other colours than sRGB, others converted.
    var keepsSomeColors: Bool { convertsToSRGB && keepsWideGamut }
}

extension Image {
    /// Returns an image decoded without conversion, with the smallest description of its colours; `nil` if
    /// the file has to be decoded to sRGB.
    ///
    /// - Parameter format: The format of the file.
    /// - Returns: The image.
    func retainingColors(ofFile format: ImageFormat) -> Image? {
        if colorSpace == .sRGB {
            // The inks of these formats have been converted by the profile. Other decoders state sRGB for
            // profiles whose colours they cannot describe.
            let convertsInks = [.jpeg, .tiff].contains(format)
            return convertsInks || !metadata.hasColorProfile ? self : nil
        }
        guard animation == nil, let space = colorSpace.retained(for: pixelFormat) else { return nil }
        var metadata = metadata
        metadata.colorSpace = space
        return replacing(animation: nil, metadata: metadata)
    }
}

extension ColorSpace {
    /// Returns the space that describes unconverted pixels; `nil` if they have to be converted to sRGB.
    ///
    /// A space whose colours differ by at most one level from sRGB is sRGB, as for a conversion, and so are
    /// invalid profiles and unknown code points.
    func retained(for format: PixelFormat) -> ColorSpace? {
        let conversion = ColorConversion(self, format.channels)
        guard unsafe conversion.transform != nil else { return .sRGB }
        guard format != .gray8, !isHighRange else { return nil }
        guard case .icc(let profile) = self else { return self }
        var isDisplayP3: Int32 = 0
        var compact = unsafe profile.bytes.withUnsafeBytes { bytes in
            unsafe cc_color_compact(cc_bytes(bytes), &isDisplayP3)
        }
        let bytes = unsafe compact.takenData()
        if isDisplayP3 != 0 { return .displayP3 }
        return bytes.isEmpty ? nil : .icc(bytes)
    }
}
