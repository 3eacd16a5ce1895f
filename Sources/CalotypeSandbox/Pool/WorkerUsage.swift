import CSandbox
import CalotypeSupport

/// Resource usage of a process, as counted by the kernel.
struct WorkerUsage {
    private let pid: Int32
    private let statm: Descriptor?

    init(pid: Int32) {
        self.pid = pid
        statm = Descriptor(unsafe open("/proc/\(pid)/statm", O_RDONLY | O_CLOEXEC))
    }

    /// The processor time since the process started.
    var processorTime: Duration? {
        let nanoseconds = calotype_sandbox_processor_time(pid)
        return nanoseconds < 0 ? nil : .nanoseconds(nanoseconds)
    }

    /// Returns the resident memory in bytes.
    ///
    /// - Parameter room: The shared memory for pixels, which counts also if it is not mapped.
    /// - Returns: All bytes, and the private ones; `nil` if the kernel does not report them.
    func memory(with room: WorkerArena?) -> (all: Int, own: Int)? {
        var shared: Int64 = 0
        guard let statm else { return nil }
        let byteCount = unsafe calotype_sandbox_resident(statm.number, &shared)
        guard byteCount >= 0 else { return nil }
        let own = Int(byteCount - shared)
        return (own + max(Int(shared), room?.heldByteCount ?? 0), own)
    }
}
