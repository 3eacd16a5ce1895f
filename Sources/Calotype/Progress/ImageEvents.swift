public import CalotypeCore
public import CalotypeLoading

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

    fileprivate let pipeline: ImagePipeline
    fileprivate let request: ImageRequest
    fileprivate let priority: LivePriority?
    fileprivate let wantsPreviews: Bool

    init(_ pipeline: ImagePipeline, _ request: ImageRequest, _ priority: LivePriority?, wantsPreviews: Bool) {
        self.pipeline = pipeline
        self.request = request
        self.priority = priority
        self.wantsPreviews = wantsPreviews
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
        (feed, task) = events.pipeline.startFeeding(
            events.request,
            events.priority,
            wantsPreviews: events.wantsPreviews
        )
    }

    deinit {
        task.cancel()
    }
}

extension ImagePipeline {
    /// Starts a load that feeds a consumer of its events.
    func startFeeding(_ request: ImageRequest, _ priority: LivePriority?, wantsPreviews: Bool) -> (
        EventFeed, Task<Void, Never>
    ) {
        let feed = EventFeed(interval: configuration.progressInterval, now: configuration.now)
        let task = Task {
            do {
                if let cached = try await cachedImage(for: request) { feed.offer(cached: cached) }
                let loaded = try await load(request, priority: priority) { status in
                    status.add(feed, wantsPreviews: wantsPreviews)
                }
                feed.finish(.success(loaded))
            } catch {
                feed.finish(.failure(error))
            }
        }
        return (feed, task)
    }
}

extension ImagePipeline {
    /// Returns the events of a load: progress and previews while bytes arrive, then the result.
    ///
    /// With ``CachePolicy/cachedThenFresh`` the cached image comes first, as a preview, even without other
    /// previews. The result always follows; if nothing has changed, it is the same image.
    ///
    /// - Parameters:
    ///   - request: The image to load.
    ///   - priority: The priority, if it may change during the load; the request's unless given.
    ///   - previews: True to decode bytes as they arrive, which costs up to the time of a second decode; true
    ///     unless set.
    /// - Returns: The events; the load starts with the first one requested.
    public func events(
        for request: ImageRequest,
        priority: LivePriority? = nil,
        previews: Bool = true
    ) -> ImageEvents {
        ImageEvents(self, request, priority, wantsPreviews: previews)
    }
}
