public import CalotypeCore
internal import CalotypeLoading

/// An event of a load.
public enum ImageEvent: Sendable {
    /// The progress of a load: without bytes at its start, then at a limited rate, and once more at its end.
    case progress(LoadProgress)
    /// The image so far, which is never cached and never complete; or, with ``CachePolicy/cachedThenFresh``,
    /// the cached image.
    case preview(Image)
    /// The result; always the last event.
    case finished(LoadedImage)
}

/// The progress of a load.
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

    /// The fraction that has arrived, 0 to 1, or `nil` if the total is unknown.
    public var fraction: Double? {
        guard let expectedByteCount, expectedByteCount > 0 else { return nil }
        return min(1, Double(byteCount) / Double(expectedByteCount))
    }
}

/// The events of one load: progress and previews while bytes arrive, then the result.
///
/// The load starts with the first event requested, and is cancelled with the iterator. A slow consumer gets
/// only the newest progress and the newest preview; one that has stopped iterating costs nothing. The
/// sequence ends after ``ImageEvent/finished(_:)``; it throws ``LoadError``, or `CancellationError`.
public struct ImageEvents: AsyncSequence, Sendable {
    /// The type of the events.
    public typealias Element = ImageEvent

    /// An iterator over the events.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let events: ImageEvents
        fileprivate var load: EventLoad?

        /// Returns the next event, or `nil` after the result.
        ///
        /// - Returns: The event.
        /// - Throws: ``LoadError``, or `CancellationError`.
        public mutating func next() async throws -> ImageEvent? {
            let load = self.load ?? EventLoad(events)
            self.load = load
            return try await load.feed.next()
        }
    }

    fileprivate let start: @Sendable () -> (EventFeed, Task<Void, Never>)

    init(_ start: @escaping @Sendable () -> (EventFeed, Task<Void, Never>)) {
        self.start = start
    }

    /// Creates an iterator; each is a load of its own, which shares the work with others.
    public func makeAsyncIterator() -> Iterator {
        Iterator(events: self)
    }
}

/// A load that feeds an iterator, and is cancelled with it.
private final class EventLoad: Sendable {
    let feed: EventFeed
    private let task: Task<Void, Never>

    init(_ events: ImageEvents) {
        (feed, task) = events.start()
    }

    deinit {
        task.cancel()
    }
}
