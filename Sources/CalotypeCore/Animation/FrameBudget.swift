internal import CalotypeSupport

/// The memory for decoded frames of all animations together; what was asked for last stays.
public final class FrameBudget: Sendable {
    /// The budget of the process: 5 % of the memory that it may use, unless set.
    public static let shared = FrameBudget(byteCountMax: MainMemory.byteCount / 20)

    private let ledger: Guarded<FrameLedger>

    /// Creates a budget.
    ///
    /// - Precondition: `byteCountMax` is not negative.
    public init(byteCountMax: Int) {
        precondition(byteCountMax >= 0, "a budget is not negative")
        ledger = Guarded(FrameLedger(byteCountMax: byteCountMax))
    }

    /// The most bytes that frames may have together; a lower value lets frames go at once.
    ///
    /// - Precondition: The value is not negative.
    public var byteCountMax: Int {
        get { ledger.withLock { $0.byteCountMax } }
        set {
            precondition(newValue >= 0, "a budget is not negative")
            change { $0.byteCountMax = newValue }
        }
    }

    /// Bytes of the frames that are kept.
    public var byteCount: Int { ledger.withLock { $0.byteCount } }

    /// Lets frames go until they have at most so many bytes; the most that they may have stays as it is.
    ///
    /// - Precondition: `byteCount` is not negative.
    public func trim(toByteCount byteCount: Int) {
        precondition(byteCount >= 0, "a budget is not negative")
        change { $0.trim(toByteCount: byteCount) }
    }

    /// Lets all frames go.
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

    /// What leaves is released after the lock.
    private func change(_ change: @Sendable (inout FrameLedger) -> Void) {
        let departed = ledger.withLock { ledger in
            change(&ledger)
            return ledger.takeDeparted()
        }
        _ = consume departed
    }
}
