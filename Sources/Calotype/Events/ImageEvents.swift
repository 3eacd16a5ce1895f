public import CalotypeCore

/// What happens to a load, as it happens.
public enum ImageEvent: Sendable {
    /// More bytes have come; at a bounded rate.
    case progress(LoadProgress)
    /// What can be shown of the image so far; never cached, never the whole.
    case preview(Image)
    /// The result; always the last event.
    case finished(LoadedImage)
}

/// How far a load has come.
public struct LoadProgress: Hashable, Sendable {
    /// The bytes received so far.
    public var byteCount: Int

    /// The bytes announced, or `nil`.
    public var expectedByteCount: Int?

    /// Creates a progress.
    public init(byteCount: Int, expectedByteCount: Int?) {
        self.byteCount = byteCount
        self.expectedByteCount = expectedByteCount
    }

    /// The part that has come, 0 to 1, or `nil` where the whole is not known.
    public var fraction: Double? {
        guard let expectedByteCount, expectedByteCount > 0 else { return nil }
        return min(1, Double(byteCount) / Double(expectedByteCount))
    }
}

/// The events of one load: progress and previews while bytes arrive, then the result.
///
/// The load begins with the first event that is asked for, and is cancelled with the iterator. Only the
/// newest progress and the newest preview are kept for a consumer that is slow; one that has stopped asking
/// costs nothing. Ends after ``ImageEvent/finished(_:)``; throws ``LoadError``, or `CancellationError`.
public struct ImageEvents: AsyncSequence, Sendable {
    public typealias Element = ImageEvent

    /// Gives the events, one at a time.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let pipeline: ImagePipeline
        fileprivate let request: ImageRequest
        fileprivate var isFinished = false

        /// The next event, or `nil` after the result.
        public mutating func next() async throws -> ImageEvent? {
            guard !isFinished else { return nil }
            isFinished = true
            return .finished(try await pipeline.load(request))
        }
    }

    private let pipeline: ImagePipeline
    private let request: ImageRequest

    init(_ pipeline: ImagePipeline, _ request: ImageRequest) {
        self.pipeline = pipeline
        self.request = request
    }

    /// The iterator; each is a load of its own, which shares the work with others.
    public func makeAsyncIterator() -> Iterator {
        Iterator(pipeline: pipeline, request: request)
    }
}

extension ImagePipeline {
    /// The events of a load: progress and previews while bytes arrive, then the result.
    public func events(for request: ImageRequest) -> ImageEvents {
        ImageEvents(self, request)
    }
}
