public import CalotypeCore
public import CalotypeLoading

/// A load as an object, to show its state, to change its priority, or to cancel it from elsewhere.
///
/// Most programs do not need it: `image(for:)` in a `Task` is cancelled with the task, and
/// ``ImagePipeline/events(for:priority:previews:)`` reports progress. The load begins when the object is
/// created, and continues until it has ended or is cancelled, even if the object was released.
public final class ImageTask: Sendable {
    /// The state of a load.
    public enum State: Hashable, Sendable {
        /// The load waits for its turn, or queries the caches.
        case waiting
        /// Bytes are arriving, or are being decoded.
        case loading
        /// The load has ended with an image.
        case finished
        /// The load has failed.
        case failed
        /// The load was cancelled.
        case cancelled
    }

    /// The request of the load.
    public let request: ImageRequest

    private let livePriority: LivePriority
    private let feed: EventFeed
    private let task: Task<Void, Never>

    /// - Parameters:
    ///   - request: The request.
    ///   - start: Starts a load of the priority that fills a feed.
    init(_ request: ImageRequest, _ start: (LivePriority) -> (EventFeed, Task<Void, Never>)) {
        self.request = request
        livePriority = LivePriority(request.priority)
        (feed, task) = start(livePriority)
    }

    /// The state of the load.
    public var state: State {
        switch feed.outcome {
        case .success?: .finished
        case .failure(let error)?: error is CancellationError ? .cancelled : .failed
        case nil: feed.newestProgress == nil ? .waiting : .loading
        }
    }

    /// The progress of the load; `nil` before it has begun, and if a cache has the image.
    public var progress: LoadProgress? { feed.newestProgress }

    /// The priority, which may be changed during the load.
    public var priority: LoadPriority {
        get { livePriority.value }
        set { livePriority.value = newValue }
    }

    /// Cancels the load, unless it has ended; other loads of the same image continue.
    public func cancel() {
        task.cancel()
        feed.finish(.failure(CancellationError()))
    }

    /// The image, once it is loaded.
    ///
    /// - Throws: As ``result``.
    public var image: Image {
        get async throws { try await result.image }
    }

    /// The result, once it is available.
    ///
    /// Any number of callers may wait. If the task of one is cancelled, the load is cancelled.
    ///
    /// - Throws: ``LoadError``, or `CancellationError`.
    public var result: LoadedImage {
        get async throws {
            await withTaskCancellationHandler {
                await task.value
            } onCancel: {
                cancel()
            }
            // The task has ended, so the outcome is set.
            guard let outcome = feed.outcome else { throw CancellationError() }
            return try outcome.get()
        }
    }

    /// The events for one consumer: progress, previews if they were enabled, the result.
    ///
    /// A late consumer gets the newest event of each kind. The sequence ends after
    /// ``ImageEvent/finished(_:)``; it throws ``LoadError``, or `CancellationError`. If the consumer's task
    /// is cancelled, the load is cancelled.
    public var events: Events { Events(task: self) }

    /// The events of a task.
    public struct Events: AsyncSequence, Sendable {
        /// The type of the events.
        public typealias Element = ImageEvent

        fileprivate let task: ImageTask

        /// An iterator over the events.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate let task: ImageTask

            /// Returns the next event, or `nil` after the result.
            ///
            /// - Returns: The event.
            /// - Throws: ``LoadError``, or `CancellationError`.
            public mutating func next() async throws -> ImageEvent? {
                do {
                    return try await task.feed.next()
                } catch let error as CancellationError {
                    task.cancel()
                    throw error
                }
            }
        }

        /// Creates an iterator.
        public func makeAsyncIterator() -> Iterator { Iterator(task: task) }
    }
}
