internal import CalotypeCodecs
internal import CalotypeCore
internal import FoundationEssentials

extension ImagePipeline {
    /// The original bytes for a request: from the stores, else from the loader; nothing is decoded.
    ///
    /// Of the bytes only the header is read: what has no header of an image gives an error and is not kept.
    ///
    /// - Throws: ``LoadError``, or `CancellationError`.
    public func data(for request: ImageRequest) async throws -> EncodedImage {
        let source = try await sourceIdentity(of: request)
        let original = try await original(for: request, source: source, variantKey: nil)
        do {
            return try await encodedImage(original, request)
        } catch  where original.source == .disk && error.isFaultOfInput && request.cachePolicy.allowsLoading {
            try await removeDamaged(source, of: request)
            var fresh = request
            fresh.cachePolicy.original = request.cachePolicy.original.writes ? .writeOnly : .none
            return try await data(for: fresh)
        } catch {
            throw LoadError(stage: .decode, underlying: error)
        }
    }

    private func encodedImage(
        _ original: Original,
        _ request: ImageRequest
    ) async throws(DecodeError) -> EncodedImage {
        EncodedImage(
            data: original.data,
            info: try await cache.info(of: original.data, limits: request.decoding.limits),
            source: original.source,
            storeFailure: original.storeFailure
        )
    }
}
