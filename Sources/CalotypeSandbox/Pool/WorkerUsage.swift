import CSandbox
import CalotypeSupport

/// What a process takes, as the system counts it.
struct WorkerUsage {
    private let pid: Int32
    private let statm: Descriptor?

    init(pid: Int32) {
        self.pid = pid
        statm = Descriptor(unsafe open("/proc/\(pid)/statm", O_RDONLY | O_CLOEXEC))
    }

    /// What it has computed since it was started.
    var processorTime: Duration? {
        let nanoseconds = calotype_sandbox_processor_time(pid)
        return nanoseconds < 0 ? nil : .nanoseconds(nanoseconds)
    }

    /// What it holds.
    ///
    /// - Parameter room: What it has in its room, which is shared, and counts also where it is not mapped.
    /// - Returns: All bytes, and its own; `nil` where the system does not say.
    func memory(with room: WorkerRoom?) -> (all: Int, own: Int)? {
        var shared: Int64 = 0
        guard let statm else { return nil }
        let byteCount = unsafe calotype_sandbox_resident(statm.number, &shared)
        guard byteCount >= 0 else { return nil }
        let own = Int(byteCount - shared)
        return (own + max(Int(shared), room?.heldByteCount ?? 0), own)
    }
}
