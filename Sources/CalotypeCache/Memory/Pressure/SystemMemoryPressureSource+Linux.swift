internal import CalotypeSupport

/// The memory pressure of this machine, or of this process's control group.
///
/// If a control group limits this process, its stalls count, otherwise those of the machine: by pressure
/// stall information if the kernel allows it, and by the events of the group's memory controller. If both are
/// missing, the source never calls. Each kind of pressure is reported at most once in ten seconds.
///
/// A thread waits for events while there are subscriptions. If the system refuses a thread, there are no
/// calls until another subscription requests one again.
public final class SystemMemoryPressureSource: MemoryPressureSource {
    /// The one source of the process.
    public static let shared = SystemMemoryPressureSource()

    private struct State {
        var monitor: MemoryPressureMonitor?
        /// Whether a thread is creating a monitor, outside the lock.
        var isStarting = false
    }

    private enum Step {
        case none, start
        case end(MemoryPressureMonitor)
    }

    private let handlers = MemoryPressureHandlers()
    private let state = Guarded(State())
    private let makeSignals: @Sendable () -> [any MemoryPressureSignal]
    private let startThread: BlockingPool.ThreadStart
    private let uptime: @Sendable () -> Duration

    /// Creates a source.
    ///
    /// - Parameters:
    ///   - makeSignals: Opens the signals when the first handler is added.
    ///   - startThread: Starts the waiting thread.
    ///   - uptime: Returns the time since a fixed moment.
    init(
        makeSignals: @escaping @Sendable () -> [any MemoryPressureSignal] = openSystemSignals,
        startThread: @escaping BlockingPool.ThreadStart = SystemThread.start,
        uptime: (@Sendable () -> Duration)? = nil
    ) {
        self.makeSignals = makeSignals
        self.startThread = startThread
        let beginning = ContinuousClock.now
        self.uptime = uptime ?? { beginning.duration(to: .now) }
    }

    /// Calls a handler at each event until the subscription is cancelled or released.
    public func subscribe(_ handler: @escaping @Sendable (MemoryPressure) -> Void)
        -> MemoryPressureSubscription
    {
        let id = handlers.add(handler)
        updateMonitor()
        return MemoryPressureSubscription { [self] in
            handlers.remove(id)
            updateMonitor()
        }
    }

    /// Whether a thread waits for events.
    var isMonitoring: Bool { state.withLock { $0.monitor != nil } }

    /// Starts or stops the monitor, depending on whether there are handlers.
    ///
    /// Files are opened and the thread is started outside the lock, which is taken whenever a cache is
    /// created or released.
    private func updateMonitor() {
        while true {
            switch state.withLock({ nextStep(&$0) }) {
            case .none: return
            case .end: continue
            case .start:
                let monitor = makeMonitor()
                state.withLock { state in
                    state.monitor = monitor
                    state.isStarting = false
                }
                // Handlers removed meanwhile have left the monitor to this loop. Without a monitor there is
                // nothing to stop.
                if monitor == nil { return }
            }
        }
    }

    private func nextStep(_ state: inout State) -> Step {
        if state.isStarting { return .none }
        if let monitor = state.monitor {
            guard handlers.count == 0 else { return .none }
            state.monitor = nil
            return .end(monitor)
        }
        guard handlers.count > 0 else { return .none }
        state.isStarting = true
        return .start
    }

    private func makeMonitor() -> MemoryPressureMonitor? {
        MemoryPressureMonitor(signals: makeSignals(), startThread: startThread, uptime: uptime) {
            [handlers] in handlers.call($0)
        }
    }
}

/// Returns the signals that the system offers to this process.
func openSystemSignals() -> [any MemoryPressureSignal] {
    let files = MemoryPressureFiles(groups: .ofThisProcess(), readText: SmallFile.text(atPath:))
    var signals: [any MemoryPressureSignal] = [
        StallSignal(path: files.stalls, trigger: .critical, pressure: .critical),
        StallSignal(path: files.stalls, trigger: .warning, pressure: .warning),
    ].compactMap(\.self)
    if files.isLimited || signals.isEmpty,
        let events = files.eventFolders.lazy.compactMap({ CgroupSignal(folder: $0) }).first
    {
        signals.append(events)
    }
    return signals
}
