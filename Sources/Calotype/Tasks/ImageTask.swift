public import CalotypeCore
public import CalotypeLoading

/// A load as an object: to show its state, to change its priority, to cancel it from elsewhere.
///
/// Most have no need of one: `image(for:)` in a `Task` is cancelled with that, and
/// ``ImagePipeline/events(for:priority:previews:)`` tells what happens. The load begins when the object is
/// made, and goes on until it has ended or is cancelled, also where nobody holds the object any more.
public final class ImageTask: Sendable {
    /// How far a load is.
    public enum State: Hashable, Sendable {
        /// It waits for its turn, or looks into the caches.
        case waiting
        /// Bytes are coming, or have come and are made an image of.
        case loading
        /// There is an image.
        case finished
        /// There is none.
        case failed
        /// It was cancelled.
        case cancelled
    }

    /// What is loaded.
    public let request: ImageRequest

    private let livePriority: LivePriority
    private let feed: EventFeed
    private let task: Task<Void, Never>

    init(_ pipeline: ImagePipeline, _ request: ImageRequest, wantsPreviews: Bool) {
        self.request = request
        livePriority = LivePriority(request.priority)
        (feed, task) = pipeline.startFeeding(request, livePriority, wantsPreviews: wantsPreviews)
    }

    /// How far it is.
    public var state: State {
        switch feed.outcome {
        case .success?: .finished
        case .failure(let error)?: error is CancellationError ? .cancelled : .failed
        case nil: feed.newestProgress == nil ? .waiting : .loading
        }
    }

    /// How far the load has come; `nil` before it has begun, and where a cache has the image.
    public var progress: LoadProgress? { feed.newestProgress }

    /// How urgent it is; may be changed while it loads.
    public var priority: LoadPriority {
        get { livePriority.value }
        set { livePriority.value = newValue }
    }

    /// Cancels it, unless it has ended; others that load the same go on.
    public func cancel() {
        task.cancel()
        feed.finish(.failure(CancellationError()))
    }

    /// The image, as soon as it is there.
    ///
    /// - Throws: As ``result``.
    public var image: Image {
        get async throws { try await result.image }
    }

    /// The result, as soon as it is there.
    ///
    /// Any number of callers may ask. One whose task is cancelled cancels the load.
    ///
    /// - Throws: ``LoadError``, or `CancellationError`.
    public var result: LoadedImage {
        get async throws {
            await withTaskCancellationHandler {
                await task.value
            } onCancel: {
                cancel()
            }
            // The task has ended, so it has said how.
            guard let outcome = feed.outcome else { throw CancellationError() }
            return try outcome.get()
        }
    }

    /// What happens, for one consumer: progress, previews where they were asked for, the result.
    ///
    /// A consumer that comes late is told the newest of each. Ends after ``ImageEvent/finished(_:)``; throws
    /// ``LoadError``, or `CancellationError`. One whose task is cancelled cancels the load.
    public var events: Events { Events(task: self) }

    /// The events of a task.
    public struct Events: AsyncSequence, Sendable {
        /// What the sequence gives.
        public typealias Element = ImageEvent

        fileprivate let task: ImageTask

        /// Gives the events, one at a time.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate let task: ImageTask

            /// The next event, or `nil` after the result.
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

        /// The iterator.
        public func makeAsyncIterator() -> Iterator { Iterator(task: task) }
    }
}

extension ImagePipeline {
    /// Begins a load, and gives it as an object.
    ///
    /// - Parameters:
    ///   - request: What to load.
    ///   - previews: Whether bytes are decoded as they arrive, for ``ImageTask/events``; false unless set.
    /// - Returns: The load.
    public func task(for request: ImageRequest, previews: Bool = false) -> ImageTask {
        ImageTask(self, request, wantsPreviews: previews)
    }
}
