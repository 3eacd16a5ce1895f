extension WorkerProcess {
    /// Has a process lock itself in, and ends it if it does not.
    static func locked(
        _ spawned: Spawned,
        _ configuration: CodecWorkers.Configuration,
        _ kind: WorkerKind,
        _ memory: WorkersMemory
    ) throws(SandboxError) -> WorkerProcess {
        let locked: Locked
        do throws(SandboxError) {
            locked = try spawned.lock(configuration, kind)
        } catch {
            spawned.end()
            throw error
        }
        return WorkerProcess(
            spawned,
            locked,
            WorkerProcess.Limits(memoryByteCountMax: configuration.memoryByteCountMax),
            memory
        )
    }
}
