internal import CalotypeCodecs
internal import CalotypeCore
internal import CalotypeTransforms
internal import FoundationEssentials

extension ImageRequest {
    /// Returns whether the original may replace a larger result: it shows the same pixels, upright and whole.
    func mayBeReplaced(by decoded: Original.Decoded) -> Bool {
        guard encoding?.smallerOriginal != nil, decoding.target == .full, decoding.frames == .all,
            decoding.pages == nil
        else {
            return false
        }
        let image = decoded.image
        let frameCount = image.animation?.frameCount ?? 1
        return image.metadata.orientation == .up && !image.metadata.isPartial
            && !decoding.limits.mayTruncate(frameCount, of: image.size) && !loses(image.metadata)
            && transforms.changesNothing(of: decoded.fullSize ?? image.size)
    }

    /// Whether the original without metadata would lack a part of the result, or have a profile that the
    /// result lacks.
    private func loses(_ metadata: ImageMetadata) -> Bool {
        metadata.blocks != nil || metadata.gainMap != nil
            || metadata.hasColorProfile && decoding.convertsToSRGB && !decoding.keepsWideGamut
    }
}

extension Stages {
    /// Returns the smaller one of a result and its original without metadata, if both have one format.
    ///
    /// - Parameters:
    ///   - result: The encoded result.
    ///   - original: The original, which shows the same pixels.
    ///   - kept: The metadata that the original retains.
    /// - Returns: The result if the format of the original does not allow removing metadata, or if its levels
    ///   are converted for every result.
    /// - Throws: ``LoadError`` for reasons that are not the original's, or `CancellationError`.
    func smaller(of result: Data, original: Data, retaining kept: RetainedMetadata) async throws -> Data {
        guard let format = ImageFormat(sniffing: result), ImageFormat(sniffing: original) == format,
            CodecRegistry.strippableFormats.contains(format),
            !CodecRegistry.alwaysConvertsLevels(of: original)
        else { return result }
        do {
            let stripped = try await strippingMetadata(from: original, keeping: kept)
            return stripped.count < result.count ? stripped : result
        } catch let error as LoadError where error.fault == .input {
            return result
        }
    }
}
