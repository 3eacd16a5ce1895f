import CSandbox
import CalotypeSupport

/// Tells at once when a process has ended: a thread of its own waits for all of them.
final class WorkerWatch: Sendable {
    static let shared = WorkerWatch()

    private struct State {
        var lastNumber: UInt64 = 0
        var handlers: [UInt64: @Sendable () -> Void] = [:]
    }

    /// The state of one process for as long as it is kept.
    final class Entry: Sendable {
        private let watch: WorkerWatch
        private let number: UInt64

        fileprivate init(_ watch: WorkerWatch, _ number: UInt64) {
            (self.watch, self.number) = (watch, number)
        }

        deinit {
            let (watch, number) = (watch, number)
            // Not under the lock: it may hold the last reference to something.
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

    /// Has a handler called once when a process has ended, on the thread that waits.
    func add(_ pidfd: Descriptor, _ handler: @escaping @Sendable () -> Void) -> Entry {
        let number = state.withLock { state in
            state.lastNumber += 1
            state.handlers[state.lastNumber] = handler
            return state.lastNumber
        }
        // Where the system has no room for it, its next job tells.
        if let descriptor { _ = calotype_sandbox_watch_add(descriptor.number, pidfd.number, number) }
        return Entry(self, number)
    }
}
