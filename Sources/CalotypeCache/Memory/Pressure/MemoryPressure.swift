internal import CalotypeSupport

/// The urgency of a shortage of memory.
public enum MemoryPressure: Hashable, Sendable, CaseIterable {
    /// Some work waits for memory: evict what is easily recreated.
    case warning
    /// All work waits, or the control group is at its limit: evict everything possible.
    case critical
}

/// A source of memory pressure events.
public protocol MemoryPressureSource: Sendable {
    /// Calls a handler at each event until the subscription is cancelled or released.
    ///
    /// A handler is called on a thread of the source, which waits for it; one call may still be running when
    /// the subscription ends.
    func subscribe(_ handler: @escaping @Sendable (MemoryPressure) -> Void) -> MemoryPressureSubscription
}

/// The subscription of a handler; releasing it ends the calls.
public final class MemoryPressureSubscription: Sendable {
    private let onCancel: Guarded<(@Sendable () -> Void)?>

    /// Creates a subscription.
    ///
    /// - Parameter onCancel: Called once, when it ends.
    public init(onCancel: @escaping @Sendable () -> Void) {
        self.onCancel = Guarded(onCancel)
    }

    deinit {
        cancel()
    }

    /// Ends the calls; has no effect the second time.
    public func cancel() {
        let onCancel = self.onCancel.withLock { onCancel in
            defer { onCancel = nil }
            return onCancel
        }
        onCancel?()
    }
}
