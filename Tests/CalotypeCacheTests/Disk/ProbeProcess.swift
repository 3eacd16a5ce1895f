import Foundation
import Glibc
import TestServers

/// A run of the probe, which stands beside the test program.
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

    /// Runs the program and returns what it prints.
    static func output(_ arguments: String...) throws -> String {
        try ChildProcess.output(of: try ChildProcess.path(ofProduct: "CacheCrashProbe"), arguments).text
    }

    var isRunning: Bool { process.isRunning }

    /// Runs a closure while the program stands still, so that what it sees is one moment.
    func whileStopped<Result>(_ body: () throws -> Result) rethrows -> Result {
        process.send(SIGSTOP)
        defer { process.send(SIGCONT) }
        while isRunning, !isStopped { sched_yield() }
        return try body()
    }

    /// Whether the system has stopped it: the state after the name in its line of the process table.
    private var isStopped: Bool {
        let line = FileManager.default.contents(atPath: "/proc/\(process.processID)/stat") ?? Data()
        return String(decoding: line, as: UTF8.self).split(separator: ")").last?.hasPrefix(" T") ?? false
    }

    /// Runs a closure while all of several programs stand still.
    static func whileStopped<Result>(_ probes: ArraySlice<ProbeProcess>, _ body: () throws -> Result) rethrows
        -> Result
    {
        guard let first = probes.first else { return try body() }
        return try first.whileStopped { try whileStopped(probes.dropFirst(), body) }
    }

    /// Kills the program, as `kill -9` does, so long after a file has begun to fill.
    func kill(afterMilliseconds delay: Int32, from path: String) {
        var status = stat()
        while isRunning, stat(path, &status) != 0 || status.st_size == 0 { sched_yield() }
        // The timer is what the test is about: the moment is to fall anywhere, also outside of file calls.
        poll(nil, 0, delay)
        process.send(SIGKILL)
    }

    /// Waits for the end; returns the exit status, or the signal that killed it as a negative number.
    func wait() -> Int32 { process.wait() }
}
