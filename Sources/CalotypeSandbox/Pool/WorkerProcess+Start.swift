extension WorkerProcess {
    /// Sandboxes a process, or terminates it if that fails.
    static func locked(
        _ spawned: SpawnedProcess,
        _ configuration: CodecWorkers.Configuration,
        _ kind: WorkerKind,
        _ memory: WorkerMemoryLimit
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
            WorkerProcess.Limits(maxMemoryByteCount: configuration.maxMemoryByteCount),
            memory
        )
    }
}
