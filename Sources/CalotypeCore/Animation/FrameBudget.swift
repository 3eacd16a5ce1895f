internal import CalotypeSupport

/// The cache for decoded frames of all animations together; evicts the least recently used frames.
public final class FrameBudget: Sendable {
    /// The budget of the process: 5 % of the memory that it may use, by default.
    public static let shared = FrameBudget(maxByteCount: MainMemory.byteCount / 20)

    private let ledger: Guarded<FrameLedger>

    /// Creates a budget.
    ///
    /// - Precondition: `maxByteCount` is not negative.
    public init(maxByteCount: Int) {
        precondition(maxByteCount >= 0, "a budget is not negative")
        ledger = Guarded(FrameLedger(maxByteCount: maxByteCount))
    }

    /// The maximum total of bytes of the frames; a lower value evicts frames at once.
    ///
    /// - Precondition: The value is not negative.
    public var maxByteCount: Int {
        get { ledger.withLock { $0.maxByteCount } }
        set {
            precondition(newValue >= 0, "a budget is not negative")
            change { $0.maxByteCount = newValue }
        }
    }

    /// The total of bytes of the cached frames.
    public var byteCount: Int { ledger.withLock { $0.byteCount } }

    /// Evicts frames until at most this many bytes remain; ``maxByteCount`` is unchanged.
    ///
    /// - Precondition: `byteCount` is not negative.
    public func trim(toByteCount byteCount: Int) {
        precondition(byteCount >= 0, "a budget is not negative")
        change { $0.trim(toByteCount: byteCount) }
    }

    /// Removes all frames.
    public func removeAll() {
        change { $0.removeAll() }
    }

    func frame(at index: Int, of animation: ObjectIdentifier) -> Image? {
        ledger.withLock { $0.frame(FrameLedger.Key(animation: animation, index: index)) }
    }

    func insert(_ frame: Image, at index: Int, of animation: ObjectIdentifier) {
        change { $0.insert(frame, for: FrameLedger.Key(animation: animation, index: index)) }
    }

    func removeFrames(of animation: ObjectIdentifier) {
        change { $0.removeFrames(of: animation) }
    }

    /// Evicted frames are released after the lock.
    private func change(_ change: @Sendable (inout FrameLedger) -> Void) {
        let departed = ledger.withLock { ledger in
            change(&ledger)
            return ledger.takeDeparted()
        }
        _ = consume departed
    }
}
