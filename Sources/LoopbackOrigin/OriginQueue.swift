import CalotypeSupport

/// Elements that an event loop hands to one task, in their order.
///
/// As an `AsyncStream`, but the elements pass under a lock. The stream has a lock too, which the thread
/// sanitizer does not see: where an element came before the task asked for it, it reports a race in whatever
/// the element holds.
final class OriginQueue<Element: Sendable>: Sendable {
    private let waiting = Guarded<[Element]>([])
    private let arrivals: AsyncStream<Void>
    private let arrival: AsyncStream<Void>.Continuation

    /// - Parameter countMax: The most elements that wait; what comes then is dropped.
    init(countMax: Int = .max) {
        (arrivals, arrival) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(countMax))
    }

    /// Adds an element, and tells whether somebody may still take it.
    @discardableResult
    func append(_ element: Element) -> Bool {
        // Before it is announced, so that whoever hears of it finds it.
        waiting.withLock { $0.append(element) }
        if case .enqueued = arrival.yield() { return true }
        waiting.withLock { _ = $0.popLast() }
        return false
    }

    /// No more elements; those that wait are still taken.
    func finish() {
        arrival.finish()
    }

    /// The next element, or `nil` when there are no more or the task was cancelled.
    func next() async -> Element? {
        for await _ in arrivals { return waiting.withLock { $0.isEmpty ? nil : $0.removeFirst() } }
        return nil
    }
}
