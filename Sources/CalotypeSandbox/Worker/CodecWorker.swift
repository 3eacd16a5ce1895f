internal import CSVG
internal import CSandbox
public import CalotypeCodecs
internal import CalotypeCore
internal import CalotypeSupport

/// The program of a worker: it decodes and encodes for the program that has started it, locked in, and can do
/// nothing else.
public enum CodecWorker {
    /// Does what the program asks that has started this process as one of its ``CodecWorkers``, and ends
    /// with it.
    ///
    /// To be called on the main thread before anything else, by the executable that
    /// ``CodecWorkers/Configuration/executable`` names: no file is open but the socket, and no other thread
    /// runs.
    ///
    /// - Parameter codecs: What it decodes and encodes with: what the program has its workers stand for.
    public static func run(codecs: CodecRegistry = .standard) -> Never {
        guard isStartedByProgram, let socket = Descriptor(CALOTYPE_SANDBOX_SOCKET) else {
            let text = "error: a codec worker is started by its host program, not by hand\n"
            _ = unsafe text.withCString { unsafe write(STDERR_FILENO, $0, strlen($0)) }
            exit(2)
        }
        // What the program has ready goes before what is still to be made.
        SystemThread.beNice(niceness)
        let link = Link(socket: socket)
        let (kind, stop) = unsafe lock(link, codecs)
        unsafe WorkStop.follow(stop)
        let isForSVG = kind == .svg && !codecs.hasDecoder(for: .svg)
        var desk = JobDesk(codecs: isForSVG ? .svg : codecs, ask: { try frame($0, through: link) })
        while true {
            let message = WorkerEnd.ofProcess { () throws(Link.Failure) in try link.receive() }
            guard case .job(let job, let byteCounts)? = Order(trusted: message) else { WorkerEnd.end() }
            message.memory.flatMap { PixelRoom($0) }?.use()
            let reply = desk.reply(to: job, received(byteCounts))
            WorkerEnd.ofProcess { () throws(Link.Failure) in try send(reply, through: link) }
        }
    }

    /// The inputs that come with a job; or the error that there is no memory for them.
    private static func received(_ byteCounts: [Int]) -> Result<[PixelBuffer], DecodeError> {
        Result { () throws(DecodeError) in
            try byteCounts.map { byteCount throws(DecodeError) in try received(byteCount) }
        }
    }

    private static func received(_ byteCount: Int) throws(DecodeError) -> PixelBuffer {
        // Not in the room, which is for what is made of it.
        guard let memory = kept.memory(byteCount) ?? PixelMemory(byteCount: byteCount) else {
            throw .outOfMemory(byteCount: byteCount)
        }
        var done = 0
        while done < byteCount {
            let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: memory.bytes[done...])
            // A part of what the pipe holds, so that more comes meanwhile.
            let size = min(rest.count, 256 << 10)
            let count = unsafe calotype_sandbox_read(CALOTYPE_SANDBOX_INPUT, rest.baseAddress, size)
            guard count > 0 else { WorkerEnd.end() }
            done += Int(count)
        }
        return PixelBuffer(adopting: memory)
    }

    /// Asks for a frame of the animation that is encoded.
    ///
    /// - Throws: ``NoFrame``, or `DecodeError` where there is no memory for it.
    private static func frame(_ index: Int, through link: Link) throws -> Image {
        WorkerEnd.ofProcess { () throws(Link.Failure) in
            try link.send(Answer.needsFrame(index).message)
        }
        let message = WorkerEnd.ofProcess { () throws(Link.Failure) in try link.receive() }
        switch Order(trusted: message) {
        case .frame(let head):
            return Image(
                size: head.size,
                pixelFormat: head.pixelFormat,
                pixels: try received(head.byteCount),
                scale: head.scale,
                format: head.format,
                metadata: head.metadata
            )
        case .noFrame(let detail): throw NoFrame(description: detail)
        default: WorkerEnd.end()
        }
    }

    /// Tells an answer, and what goes with it.
    private static func send(_ reply: Reply, through link: Link) throws(Link.Failure) {
        try link.send(reply.answer.message)
        if !reply.payloads.isEmpty { try give(reply.payloads[...], link) }
    }

    /// Gives bytes to the program, and holds them all until it says that it has them.
    private static func give(_ payloads: ArraySlice<Payload>, _ link: Link) throws(Link.Failure) {
        guard let next = payloads.first else {
            guard case .taken? = Order(trusted: try link.receive()) else { throw .closed }
            return
        }
        try unsafe next.withUnsafeBytes { bytes throws(Link.Failure) in
            var done = 0
            while done < bytes.count {
                let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[done...])
                let output = CALOTYPE_SANDBOX_OUTPUT
                let count = unsafe calotype_sandbox_give(output, rest.baseAddress, rest.count, 1)
                guard count > 0 else { throw .system(Int32(-count)) }
                done += Int(count)
            }
            try give(payloads.dropFirst(), link)
        }
    }

    private static let niceness = 10
    /// For inputs.
    private static let kept = KeptMemory()

    /// Whether there is a socket where a program leaves it.
    private static var isStartedByProgram: Bool {
        var kind: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        let result = unsafe getsockopt(CALOTYPE_SANDBOX_SOCKET, SOL_SOCKET, SO_TYPE, &kind, &size)
        return result == 0 && kind == calotype_sandbox_socket_kind()
    }

    /// Locks this process in as the program says, and tells it how far that went.
    ///
    /// - Returns: What it is to do, and the word by which jobs are stopped.
    private static func lock(
        _ link: Link,
        _ codecs: CodecRegistry
    ) -> (kind: WorkerKind, stop: UnsafeRawPointer) {
        let message = WorkerEnd.ofProcess { () throws(Link.Failure) in try link.receive() }
        guard case .lock(let locking)? = Order(trusted: message), let memory = message.memory,
            let stop = unsafe StopPage.map(memory)
        else { WorkerEnd.end() }
        calotype_sandbox_offer_to_end()
        WarmUp.run(codecs, for: locking.kind)
        // Nothing that has been in memory before is any picture's.
        calotype_sandbox_fill_heap()
        PixelMemory.map(from: 1 << 20)
        var limits = unsafe calotype_sandbox_limits(
            memory: UInt64(locking.byteCountMax),
            seconds: UInt64(locking.seconds),
            // Fonts are opened when a document asks for them.
            readable: locking.kind == .svg ? calotype_svg_readable() : nil
        )
        var locks = calotype_sandbox_locks()
        unsafe calotype_sandbox_lock(&limits, &locks)
        let failure = unsafe withUnsafeBytes(of: &locks.failure) { bytes in
            unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        let locked = Locked(
            landlock: Int(locks.landlock),
            seccomp: locks.seccomp != 0,
            limits: locks.limits != 0,
            failure: failure
        )
        WorkerEnd.ofProcess { () throws(Link.Failure) in try link.send(Answer.locked(locked).message) }
        return (locking.kind, UnsafeRawPointer(stop))
    }
}

extension Order {
    /// What the program says; `nil` where it is of another build.
    init?(trusted message: Link.Message) {
        do throws(WireError) { try self.init(message: message.bytes) } catch { return nil }
    }
}
