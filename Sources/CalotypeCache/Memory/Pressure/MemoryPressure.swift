internal import CalotypeSupport

/// How short memory is.
public enum MemoryPressure: Hashable, Sendable, CaseIterable {
    /// Some work waits for memory: what is easily made again should go.
    case warning
    /// Everything waits, or the group of processes is at its limit: what can go must go.
    case critical
}

/// Tells when memory runs short.
public protocol MemoryPressureSource: Sendable {
    /// Calls a handler at each event until the subscription is cancelled or released.
    ///
    /// A handler is called on a thread of the source, which waits for it; one call may still be under way
    /// when the subscription ends.
    func subscribe(_ handler: @escaping @Sendable (MemoryPressure) -> Void) -> MemoryPressureSubscription
}

/// A handler's place at a source; leaving it ends the calls.
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
