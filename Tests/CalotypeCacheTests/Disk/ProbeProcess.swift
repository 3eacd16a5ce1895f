import Foundation
import Glibc
import TestSupport

/// A run of the probe program, which is beside the test program.
struct ProbeProcess {
    private let process: ChildProcess

    init(_ arguments: String...) throws { try self.init(arguments) }

    init(_ arguments: [String]) throws {
        process = try ChildProcess(
            try ChildProcess.path(ofProduct: "CacheCrashProbe"),
            arguments,
            output: STDOUT_FILENO,
            errors: STDERR_FILENO
        )
    }

    static func output(_ arguments: String...) throws -> String {
        try ChildProcess.output(of: try ChildProcess.path(ofProduct: "CacheCrashProbe"), arguments).text
    }

    var isRunning: Bool { process.isRunning }

    /// Runs a closure while the program is stopped, so that it sees one moment.
    func whileStopped<Result>(_ body: () throws -> Result) rethrows -> Result {
        process.send(SIGSTOP)
        defer { process.send(SIGCONT) }
        while isRunning, !isStopped { sched_yield() }
        return try body()
    }

    /// Whether the process is stopped: the state field after the name in /proc.
    private var isStopped: Bool {
        let line = FileManager.default.contents(atPath: "/proc/\(process.processID)/stat") ?? Data()
        return String(decoding: line, as: UTF8.self).split(separator: ")").last?.hasPrefix(" T") ?? false
    }

    /// Runs a closure while several programs are stopped.
    static func whileStopped<Result>(_ probes: ArraySlice<ProbeProcess>, _ body: () throws -> Result) rethrows
        -> Result
    {
        guard let first = probes.first else { return try body() }
        return try first.whileStopped { try whileStopped(probes.dropFirst(), body) }
    }

    /// Kills the program with SIGKILL after a delay from the moment a file starts to fill.
    func kill(afterMilliseconds delay: Int32, from path: String) {
        var status = stat()
        while isRunning, stat(path, &status) != 0 || status.st_size == 0 { sched_yield() }
        // The timer is intended: the kill may fall at any moment, also outside of file calls.
        poll(nil, 0, delay)
        process.send(SIGKILL)
    }

    /// Waits for the exit; returns the exit status, or the negative number of the signal that killed it.
    func wait() -> Int32 { process.wait() }
}
