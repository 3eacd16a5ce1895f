import CalotypeSupport
import FoundationEssentials

/// A deed that hostile code would do in a process that it controls.
public enum Deed: String, CaseIterable, Sendable {
    // Calls that the sandbox forbids.
    case open, create, connect, listen, execute, fork, trace, poke, killParent, executableMemory, limits,
        unlink
    // Reads that only a part of the sandbox forbids; ends the process if they succeed.
    case peek
    // Calls that the C library makes by itself and can do without; ends the process if they succeed.
    case ask
    // Deeds that end the process.
    case null, overflow, abort, exit
    // Deeds that use excessive resources.
    case allocate, loop, threads, hide
    // Deeds that disconnect or flood the parent.
    case close, shout, silence

    func run() {
        switch self {
        case .open: _ = Glibc.open("/etc/passwd", O_RDONLY)
        case .peek: if Glibc.open("/etc/passwd", O_RDONLY) >= 0 { Glibc.abort() }
        case .ask:
            let file = Glibc.open("/etc/passwd", O_RDONLY | O_CLOEXEC)
            if file >= 0 || sysconf(Int32(_SC_NPROCESSORS_ONLN)) < 1 { Glibc.abort() }
        case .create: _ = Glibc.open("/tmp/calotype-escaped", O_CREAT | O_WRONLY, 0o600)
        case .connect, .listen: _ = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        case .execute: execute()
        case .fork: _ = Self.call("fork")
        case .trace: _ = Self.call("ptrace", 16, Int(getppid()))
        case .poke: poke()
        case .killParent: kill(getppid(), SIGTERM)
        case .executableMemory:
            _ = mmap(nil, 4_096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        case .limits:
            var limit = rlimit(rlim_cur: rlim_t.max, rlim_max: rlim_t.max)
            setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
        case .unlink: Glibc.unlink("/tmp/calotype-escaped")
        default: runWithoutCalls()
        }
    }

    private func runWithoutCalls() {
        switch self {
        case .null: UnsafeMutablePointer<Int>(bitPattern: 8)?.pointee = 1
        case .overflow: print(Self.depth(of: 1))
        case .abort: Glibc.abort()
        case .exit: Glibc.exit(0)
        case .allocate: allocate()
        case .loop: while true { Self.spin += 1 }
        case .threads: threads()
        case .hide: hide()
        case .close:
            Glibc.close(3)
            while true { Self.spin += 1 }
        case .shout:
            // Endless pixels without an image.
            let pixels = [UInt8](repeating: 2, count: 1 << 16)
            while write(5, pixels, pixels.count) >= 0 { Self.spin += 1 }
        case .silence: while true { sleep(1) }
        default: break
        }
    }

    // Unsafe because it is written by one thread and read by none.
    nonisolated(unsafe) private static var spin = 0

    /// Recursion that no optimiser turns into a loop.
    private static func depth(of number: Int) -> Int {
        withUnsafeTemporaryAllocation(byteCount: 512, alignment: 8) { room in
            room[number % 512] = UInt8(truncatingIfNeeded: number)
            return depth(of: number + 1) + Int(room[(number + 1) % 512])
        }
    }

    private func allocate() {
        while true {
            guard let room = malloc(8 << 20) else { continue }
            memset(room, 1, 8 << 20)
        }
    }

    /// Uses mapped pixel memory and heap, each below its limit.
    private func hide() {
        let part = 10 << 20
        for index in 0..<15 { HostileRoom.fill(part, at: index * part) }
        for _ in 0..<10 { memset(malloc(part), 1, part) }
        while true { Self.spin += 1 }
    }

    private func threads() {
        while true { _ = SystemThread.start(name: "hostile") { while true { sleep(1) } } }
    }

    private func execute() {
        var arguments: [UnsafeMutablePointer<CChar>?] = [strdup("/bin/true"), nil]
        execv("/bin/true", &arguments)
    }

    private func poke() {
        var byte: UInt8 = 1
        withUnsafeMutablePointer(to: &byte) { pointer in
            var own = iovec(iov_base: pointer, iov_len: 1)
            var other = iovec(iov_base: UnsafeMutableRawPointer(bitPattern: 0x1000), iov_len: 1)
            withUnsafeMutablePointer(to: &own) { own in
                withUnsafeMutablePointer(to: &other) { other in
                    _ = Self.call(
                        "process_vm_writev",
                        Int(getppid()),
                        Int(bitPattern: own),
                        1,
                        Int(bitPattern: other),
                        1
                    )
                }
            }
        }
    }

    private typealias Function = @convention(c) (Int, Int, Int, Int, Int, Int) -> Int

    /// Calls a function of the C library that Swift does not import.
    private static func call(
        _ name: String,
        _ first: Int = 0,
        _ second: Int = 0,
        _ third: Int = 0,
        _ fourth: Int = 0,
        _ fifth: Int = 0
    ) -> Int {
        guard let symbol = dlsym(nil, name) else { return -1 }
        // The function takes only integers and pointers, in registers.
        return unsafeBitCast(symbol, to: Function.self)(first, second, third, fourth, fifth, 0)
    }
}
