public import CalotypeCache

/// A source of memory pressure that a test triggers.
public final class FakeMemoryPressureSource: MemoryPressureSource {
    private let handlers = MemoryPressureHandlers()

    /// Creates a source without subscribers.
    public init() {}

    /// The number of handlers.
    public var subscriberCount: Int { handlers.count }

    /// Adds a handler.
    public func subscribe(_ handler: @escaping @Sendable (MemoryPressure) -> Void)
        -> MemoryPressureSubscription
    {
        let id = handlers.add(handler)
        return MemoryPressureSubscription { [handlers] in handlers.remove(id) }
    }

    /// Calls every handler on this thread.
    public func raise(_ pressure: MemoryPressure) {
        handlers.call(pressure)
    }
}
