import Foundation
public import Glibc

/// A program started by a test.
///
/// Foundation's `Process` passes the blocked signals of the calling thread on, so that its children cannot be
/// terminated; it waits for all background children of a program, and never ends if the test program has more
/// than 512 open files.
public struct ChildProcess: Sendable {
    /// The process identifier.
    public let processID: pid_t

    /// Starts a program; streams that are not given are `/dev/null`.
    ///
    /// - Parameters:
    ///   - program: The path of the program.
    ///   - arguments: The arguments of the program.
    ///   - environment: The environment variables; by default those of this process.
    ///   - input: The descriptor of standard input.
    ///   - output: The descriptor of standard output.
    ///   - errors: The descriptor of standard error.
    ///   - third: The descriptor that becomes number 3.
    /// - Throws: ``ServerFailure`` if the program cannot be run.
    public init(
        _ program: String,
        _ arguments: [String],
        environment: [String: String]? = nil,
        input: Int32? = nil,
        output: Int32? = nil,
        errors: Int32? = nil,
        third: Int32? = nil
    ) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (descriptor, given) in [(Int32(0), input), (1, output), (2, errors)] {
            if let given {
                posix_spawn_file_actions_adddup2(&actions, given, descriptor)
            } else {
                posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
            }
        }
        // Otherwise the program would inherit the listening sockets of this process. Other threads may open
        // higher numbers until then; closing a number that is not open is not an error.
        let names = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        let greatest = names.compactMap { Int32($0) }.max() ?? 2
        if let third { posix_spawn_file_actions_adddup2(&actions, third, 3) }
        for number in (third == nil ? 3 : 4)...greatest + 256 {
            posix_spawn_file_actions_addclose(&actions, number)
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var words = ([program] + arguments).map { strdup($0) } + [nil]
        let all = environment ?? ProcessInfo.processInfo.environment
        var variables = all.map { strdup("\($0)=\($1)") } + [nil]
        defer { for word in words + variables { free(word) } }
        var processID = pid_t()
        guard posix_spawn(&processID, program, &actions, &attributes, &words, &variables) == 0 else {
            throw ServerFailure("\(program) cannot be run")
        }
        self.processID = processID
    }

    /// Runs a program and returns its output, and its exit as in ``wait()``; blocks.
    ///
    /// - Throws: ``ServerFailure`` if the program cannot be run.
    public static func output(
        of program: String,
        _ arguments: [String],
        environment: [String: String]? = nil
    ) throws -> (text: String, end: Int32) {
        var ends: [Int32] = [-1, -1]
        // Sockets, since they can be created without being inherited by programs started meanwhile.
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw ServerFailure("no pair of sockets") }
        defer { close(ends[0]) }
        let child: ChildProcess
        do {
            defer { close(ends[1]) }
            child = try ChildProcess(
                program,
                arguments,
                environment: environment,
                output: ends[1],
                errors: STDERR_FILENO
            )
        }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(ends[0], &piece, piece.count)
            if count > 0 { bytes += piece.prefix(count) }
            if count == 0 || count < 0 && errno != EINTR { break }
        }
        return (String(decoding: bytes, as: UTF8.self), child.wait())
    }

    /// The path of a program beside the test program.
    ///
    /// - Throws: The system error of reading `/proc`.
    public static func path(ofProduct name: String) throws -> String {
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return URL(filePath: program).deletingLastPathComponent().appending(path: name).path
    }

    /// Whether the program is still running.
    public var isRunning: Bool {
        var info = siginfo_t()
        return waitid(P_PID, id_t(processID), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_signo == 0
    }

    /// Waits for the exit, once; blocks.
    ///
    /// - Returns: The exit status; or the negative number of the signal that ended the program.
    @discardableResult
    public func wait() -> Int32 {
        var status = Int32(0)
        while waitpid(processID, &status, 0) < 0 && errno == EINTR {}
        let signal = status & 0x7F
        return signal == 0 ? (status >> 8) & 0xFF : -signal
    }

    /// Sends a signal.
    public func send(_ signal: Int32) {
        Glibc.kill(processID, signal)
    }

    /// Kills the program; blocks until it has exited.
    public func kill() {
        send(SIGKILL)
        wait()
    }
}
