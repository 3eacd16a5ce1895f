internal import CalotypeCodecs
internal import CalotypeCore
package import CalotypeLoading
package import FoundationEssentials

/// Bytes that arrive without a load, such as the body of an upload.
extension ImagePipeline {
    /// Waits until bytes may be received; they share ``Configuration/maxByteCountInFlight`` with loads.
    ///
    /// - Parameters:
    ///   - origin: The name that has a share of the budget, like an origin.
    ///   - limit: The time limit of the wait, which claims of others may cause.
    /// - Returns: The right to hold them, at first for no bytes.
    /// - Throws: ``LoadError`` with `overloaded` after the limit; `CancellationError`.
    package func receivedBytes(of origin: String, within limit: Duration) async throws -> ReceivedBytes {
        let lease = try await withTimeLimit(limit, failure: { ReceivedBytes.overloaded(limit) }) { [stages] in
            try await stages.limits.fetching.lease(0, of: origin, LivePriority(.normal))
        }
        return ReceivedBytes(lease)
    }

    /// Encodes an image of received bytes by a request's options, in turn with loads; nothing is cached.
    ///
    /// - Parameters:
    ///   - data: The encoded image, which may be untrusted.
    ///   - request: The options; its URL, caches and timeout are not used. Without an encoding the bytes are
    ///     returned once their header has been read.
    ///   - priority: The priority, which may change.
    /// - Returns: The encoded image.
    /// - Throws: ``LoadError``, or `CancellationError`.
    package func data(
        of data: Data,
        for request: ImageRequest,
        priority: LivePriority
    ) async throws -> EncodedImage {
        var work = ImageRequest(ofBytes: data, request.decoding, request.transforms)
        work.encoding = request.encoding
        return try await stages.observed(work, source: \.source) { [work] in
            try work.validateTransforms()
            return try await stages.encoded(data, for: LoadContext(ofBytes: work, priority: priority))
        }
    }
}

/// The right to hold received bytes until they are processed; ends with its last reference.
package final class ReceivedBytes: Sendable {
    private let lease: ByteBudget.Lease

    init(_ lease: ByteBudget.Lease) {
        self.lease = lease
    }

    /// Grows to a number of bytes in total, as soon as the budget allows.
    ///
    /// - Parameters:
    ///   - byteCount: The number of bytes.
    ///   - limit: The time limit of the wait.
    /// - Throws: ``LoadError`` with `overloaded` after the limit; `CancellationError`.
    package func grow(to byteCount: Int, within limit: Duration) async throws {
        guard byteCount > lease.byteCount else { return }
        try await withTimeLimit(limit, failure: { Self.overloaded(limit) }) { [lease] in
            try await lease.grow(to: byteCount)
        }
    }

    fileprivate static func overloaded(_ limit: Duration) -> any Error {
        let detail = "the bytes waited for other loads for \(limit); maxByteCountInFlight limits them"
        let error = FetchError(.overloaded, isRetryable: true, detail: detail)
        return LoadError(stage: .load, underlying: error)
    }

    /// Returns all bytes; a second call has no effect.
    package func end() { lease.end() }
}

extension Stages {
    /// Decodes, transforms and encodes bytes.
    fileprivate func encoded(_ bytes: Data, for context: LoadContext) async throws -> EncodedImage {
        let request = context.request
        guard let encoder = request.encoding?.encoder else {
            let info = try await header(of: bytes, limits: request.decoding.limits, for: context)
            return EncodedImage(data: bytes, info: info, source: .data)
        }
        let decoded = try await decode(bytes, as: DecodeRecipe(request), for: context)
        let image = try await transform(decoded, within: decoded.making, for: context)
        let isLarge = decoded.making?.isLarge == true
        var data = try await encode(image, as: encoder, for: context, isLarge: isLarge)
        decoded.making?.end()
        if let kept = request.encoding?.smallerOriginal, request.mayBeReplaced(by: decoded) {
            data = try await smaller(of: data, original: bytes, retaining: kept)
        }
        let info = try await header(of: data, limits: DecodeLimits(), for: context)
        var result = EncodedImage(data: data, info: info, source: .data)
        (result.receivedAt, result.isNew) = (configuration.timeSource.now(), true)
        result.clock = context.clock
        return result
    }

    private func header(
        of data: Data,
        limits: DecodeLimits,
        for context: LoadContext
    ) async throws -> ImageInfo {
        do {
            return try await info(of: data, limits: limits, for: context)
        } catch let error as DecodeError {
            throw LoadError(decoding: error)
        }
    }
}
