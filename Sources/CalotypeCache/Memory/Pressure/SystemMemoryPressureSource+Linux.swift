internal import CalotypeSupport
import Glibc

/// The memory pressure of this machine, or of the control group that this process runs in.
///
/// Uses pressure stall information where the kernel allows it, else the events of a cgroup v2 memory
/// controller; where there is neither, it never calls. A thread waits for events while anybody is subscribed.
public final class SystemMemoryPressureSource: MemoryPressureSource {
    /// The one source of the process.
    public static let shared = SystemMemoryPressureSource()

    private let handlers = MemoryPressureHandlers()
    private let monitor = Guarded<MemoryPressureMonitor?>(nil)
    private let makeSignals: @Sendable () -> [any MemoryPressureSignal]

    /// Creates a source.
    ///
    /// - Parameter makeSignals: Opens what to wait for when the first handler comes.
    init(makeSignals: @escaping @Sendable () -> [any MemoryPressureSignal] = openSystemSignals) {
        self.makeSignals = makeSignals
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
    var isMonitoring: Bool { monitor.withLock { $0 != nil } }

    /// Starts or ends the monitor, as there is somebody to tell or not.
    private func updateMonitor() {
        monitor.withLock { [handlers, makeSignals] monitor in
            if handlers.count == 0 {
                monitor = nil
            } else if monitor == nil {
                monitor = MemoryPressureMonitor(signals: makeSignals()) { handlers.call($0) }
            }
        }
    }
}

/// What the system offers, best first: stall triggers, else the events of the control group.
private func openSystemSignals() -> [any MemoryPressureSignal] {
    let path = "/proc/pressure/memory"
    let triggers = [
        StallSignal(path: path, trigger: .critical, pressure: .critical),
        StallSignal(path: path, trigger: .warning, pressure: .warning),
    ].compactMap(\.self)
    guard triggers.isEmpty else { return triggers }
    let files = ControlGroups.ofThisProcess().eventFiles
    return files.lazy.compactMap { CgroupSignal(path: $0) }.first.map { [$0] } ?? []
}
