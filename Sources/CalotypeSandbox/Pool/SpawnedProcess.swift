import CSandbox
import CalotypeCore
import CalotypeSupport

/// A process that has been started but not sandboxed.
struct SpawnedProcess {
    let pid: Int32
    let pidfd: Descriptor
    let link: MessageSocket
    /// The pipe for the inputs of a job.
    ///
    /// The far end is kept open too, so that writing to a dead worker does not raise SIGPIPE.
    let input: Pair
    /// The pipe for the payloads of a response.
    let output: Descriptor
    let stop: StopPage

    /// The two ends of a socket or pipe.
    struct Pair: Sendable {
        let own: Descriptor
        let other: Descriptor
    }

    /// Starts the configured executable.
    ///
    /// Call on a thread that outlives the process, because the process ends with the thread that started it.
    init(_ configuration: CodecWorkers.Configuration) throws(SandboxError) {
        let socket = try unsafe Self.pair { unsafe calotype_sandbox_socket_pair($0) }
        input = try unsafe Self.pair(ownIsSecond: true) { unsafe calotype_sandbox_pipe($0, 1) }
        let output = try unsafe Self.pair { unsafe calotype_sandbox_pipe($0, 0) }
        guard let stop = StopPage() else { throw SandboxError(.startFailed, detail: "not enough memory") }
        self.stop = stop
        self.output = output.own
        link = MessageSocket(socket: socket.own)
        let arguments = [configuration.executable] + configuration.arguments
        var own = (socket.other.number, input.other.number, output.other.number)
        var pid: Int32 = -1
        let number = unsafe CStrings.with(arguments) { arguments in
            unsafe CStrings.with(Self.environment) { environment in
                unsafe withUnsafeBytes(of: &own) { own in
                    unsafe calotype_sandbox_spawn(
                        arguments[0],
                        arguments,
                        environment,
                        own.assumingMemoryBound(to: Int32.self).baseAddress,
                        &pid
                    )
                }
            }
        }
        // The process inherits these descriptors, so they stay open until here.
        withExtendedLifetime((socket, output)) {}
        guard let pidfd = Descriptor(number) else {
            let reason = unsafe String(cString: strerror(-number))
            throw SandboxError(.startFailed, detail: "\(configuration.executable): \(reason)")
        }
        (self.pid, self.pidfd) = (pid, pidfd)
    }

    // If `ownIsSecond` is set, the process has the first end.
    private static func pair(
        ownIsSecond: Bool = false,
        _ make: (UnsafeMutablePointer<Int32>?) -> Int32
    ) throws(SandboxError) -> Pair {
        var ends: (Int32, Int32) = (-1, -1)
        let result = unsafe withUnsafeMutableBytes(of: &ends) { bytes in
            unsafe make(bytes.assumingMemoryBound(to: Int32.self).baseAddress)
        }
        guard let first = Descriptor(ends.0), let second = Descriptor(ends.1) else {
            let reason = unsafe String(cString: strerror(-result))
            throw SandboxError(.startFailed, detail: "cannot create a socket or pipe: \(reason)")
        }
        return ownIsSecond ? Pair(own: second, other: first) : Pair(own: first, other: second)
    }

    /// The environment of a worker: nothing from the program's except the library path.
    private static var environment: [String] {
        // No external backtracer runs when a worker crashes. glibc's per-thread cache is off, because it
        // would return freed memory unchanged to the next allocation.
        let own = [
            "LC_ALL=C", "TZ=UTC0", "SWIFT_BACKTRACE=enable=no", "GLIBC_TUNABLES=glibc.malloc.tcache_count=0",
        ]
        guard let path = unsafe getenv("LD_LIBRARY_PATH") else { return own }
        let places = unsafe String(cString: path)
        return own + ["LD_LIBRARY_PATH=\(places)"]
    }
}

enum CStrings {
    static func with<Result>(
        _ texts: [String],
        _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) -> Result {
        let copies = unsafe texts.map { unsafe strdup($0) } + [nil]
        defer { unsafe copies.forEach { unsafe free($0) } }
        return unsafe copies.withUnsafeBufferPointer { list in
            // A non-empty array has a base address.
            unsafe body(list.baseAddress!)
        }
    }
}

extension SpawnedProcess {
    /// The timeout of the lock handshake, in milliseconds.
    private static let maxLockDuration: Int32 = 20_000

    /// Tells the process to sandbox itself and waits for the result.
    ///
    /// - Throws: ``SandboxError`` if the process does not respond, or is not fully sandboxed and best effort
    ///   is off.
    func lock(_ configuration: CodecWorkers.Configuration, _ kind: WorkerKind) throws(SandboxError) -> Locked
    {
        let locked: Locked
        do throws(MessageSocket.Failure) {
            locked = try askToLock(configuration, kind)
        } catch {
            throw SandboxError(
                .startFailed,
                detail: "\(configuration.executable) is not a codec worker, or of another build: \(error)"
            )
        }
        guard configuration.isBestEffort || locked.isWhole else {
            throw SandboxError(
                .notLocked,
                detail:
                    "this system cannot sandbox codec workers (\(locked.text)); allow seccomp, or set best "
                    + "effort"
            )
        }
        return locked
    }

    private func askToLock(
        _ configuration: CodecWorkers.Configuration,
        _ kind: WorkerKind
    ) throws(MessageSocket.Failure) -> Locked {
        let locking = Locking(
            maxByteCount: 2 * configuration.maxMemoryByteCount,
            seconds: 86_400,
            kind: kind
        )
        try link.send(.lock(locking), with: stop.memory)
        guard link.hasMessage(within: Self.maxLockDuration) else { throw .violation("no response") }
        guard case .locked(let locked) = try Answer(received: try link.receive()) else {
            throw .violation("unexpected response type")
        }
        return locked
    }

    func end() {
        calotype_sandbox_kill(pidfd.number)
        _ = calotype_sandbox_reap(pidfd.number)
    }
}

extension Answer {
    init(received message: MessageSocket.Message) throws(MessageSocket.Failure) {
        do throws(WireError) {
            try self.init(message: message.bytes)
        } catch {
            throw .violation(error.detail)
        }
    }
}
