import CalotypeSupport

/// A queue of elements from an event loop to one task, in order.
///
/// Like an `AsyncStream`, but the elements pass under a lock. The stream's own lock is invisible to the
/// thread sanitizer: it reports a race in the contents of an element that arrived before the task requested
/// it.
final class OriginQueue<Element: Sendable>: Sendable {
    private let waiting = Guarded<[Element]>([])
    private let arrivals: AsyncStream<Void>
    private let arrival: AsyncStream<Void>.Continuation

    /// - Parameter maxCount: The maximum number of waiting elements; further ones are dropped.
    init(maxCount: Int = .max) {
        (arrivals, arrival) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(maxCount))
    }

    /// Adds an element, and returns whether it can still be taken.
    @discardableResult
    func append(_ element: Element) -> Bool {
        // Stored before the signal, so that the receiver finds it.
        waiting.withLock { $0.append(element) }
        if case .enqueued = arrival.yield() { return true }
        waiting.withLock { _ = $0.popLast() }
        return false
    }

    /// Ends the queue; waiting elements are still taken.
    func finish() {
        arrival.finish()
    }

    /// Returns the next element, or `nil` if the queue has ended or the task was cancelled.
    func next() async -> Element? {
        for await _ in arrivals { return waiting.withLock { $0.isEmpty ? nil : $0.removeFirst() } }
        return nil
    }
}
