public import CalotypeCore
public import CalotypeLoading

/// What happens to a load, as it happens.
public enum ImageEvent: Sendable {
    /// A load has begun, with no bytes so far; then more have come, at a bounded rate, and once more when all
    /// are there.
    case progress(LoadProgress)
    /// What can be shown so far: of the image that is loading, never cached, never the whole; or, with
    /// ``CachePolicy/cachedThenFresh``, what a cache has.
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
    /// What the sequence gives.
    public typealias Element = ImageEvent

    /// Gives the events, one at a time.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let events: ImageEvents
        fileprivate var load: EventLoad?

        /// The next event, or `nil` after the result.
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

    /// The iterator; each is a load of its own, which shares the work with others.
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
    /// The events of a load: progress and previews while bytes arrive, then the result.
    ///
    /// With ``CachePolicy/cachedThenFresh`` what is cached comes first, as a preview, also where no others
    /// are wanted. The result follows in any case: where nothing has changed, the same image.
    ///
    /// - Parameters:
    ///   - request: What to load.
    ///   - priority: How urgent it is, where that may change while it loads; the request's unless given.
    ///   - previews: Whether bytes are decoded as they arrive; true unless set. It costs up to the time of a
    ///     second decode.
    /// - Returns: The events; nothing happens before the first is asked for.
    public func events(
        for request: ImageRequest,
        priority: LivePriority? = nil,
        previews: Bool = true
    ) -> ImageEvents {
        ImageEvents(self, request, priority, wantsPreviews: previews)
    }
}
