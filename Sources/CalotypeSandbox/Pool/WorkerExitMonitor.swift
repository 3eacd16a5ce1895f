import CSandbox
import CalotypeSupport

/// Reports exits of processes as they happen; one thread waits for all of them.
final class WorkerExitMonitor: Sendable {
    static let shared = WorkerExitMonitor()

    private struct State {
        var lastNumber: UInt64 = 0
        var handlers: [UInt64: @Sendable () -> Void] = [:]
    }

    /// The registration of one process; ends with its last reference.
    final class Entry: Sendable {
        private let watch: WorkerExitMonitor
        private let number: UInt64

        fileprivate init(_ watch: WorkerExitMonitor, _ number: UInt64) {
            (self.watch, self.number) = (watch, number)
        }

        deinit {
            let (watch, number) = (watch, number)
            // Outside the lock: the handler may hold the last reference to an object.
            _ = watch.state.withLock { $0.handlers.removeValue(forKey: number) }
        }
    }

    private let descriptor = Descriptor(calotype_sandbox_watch())
    private let state = Guarded(State())

    private init() {
        guard let descriptor else { return }
        _ = SystemThread.start(name: "calotype-ends") { [weak self] in
            while true {
                let number = calotype_sandbox_watch_next(descriptor.number)
                let handler = self?.state.withLock { $0.handlers.removeValue(forKey: number) }
                handler?()
            }
        }
    }

    /// Registers a handler that is called once on the watching thread when a process has exited.
    func add(_ pidfd: Descriptor, _ handler: @escaping @Sendable () -> Void) -> Entry {
        let number = state.withLock { state in
            state.lastNumber += 1
            state.handlers[state.lastNumber] = handler
            return state.lastNumber
        }
        // If the system has no memory for it, the worker's next job detects the exit.
        if let descriptor { _ = calotype_sandbox_watch_add(descriptor.number, pidfd.number, number) }
        return Entry(self, number)
    }
}
