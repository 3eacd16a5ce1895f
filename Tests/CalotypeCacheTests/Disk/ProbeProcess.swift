import Foundation
import Glibc

/// A run of the probe, which stands beside the test program.
final class ProbeProcess {
    private let process = Process()

    init(_ arguments: String...) throws {
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        process.executableURL = URL(filePath: program).deletingLastPathComponent().appending(
            path: "CacheCrashProbe"
        )
        process.arguments = arguments
        try process.run()
    }

    /// Runs the program and returns what it prints.
    static func output(_ arguments: String...) throws -> String {
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let (process, pipe) = (Process(), Pipe())
        process.executableURL = URL(filePath: program).deletingLastPathComponent().appending(
            path: "CacheCrashProbe"
        )
        process.arguments = arguments
        process.standardOutput = pipe
        try process.run()
        let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
    }

    var isRunning: Bool { process.isRunning }

    /// Runs a closure while the program stands still, so that what it sees is one moment.
    func whileStopped<Result>(_ body: () throws -> Result) rethrows -> Result {
        _ = process.suspend()
        defer { _ = process.resume() }
        while isRunning, !isStopped { sched_yield() }
        return try body()
    }

    /// Whether the system has stopped it: the state after the name in its line of the process table.
    private var isStopped: Bool {
        let line = FileManager.default.contents(atPath: "/proc/\(process.processIdentifier)/stat") ?? Data()
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
        Glibc.kill(process.processIdentifier, SIGKILL)
    }

    /// Waits for the end; returns the signal that killed it, or its status where none did.
    func wait() -> (signal: Int32?, status: Int32) {
        process.waitUntilExit()
        let isKilled = process.terminationReason == .uncaughtSignal
        return (isKilled ? process.terminationStatus : nil, process.terminationStatus)
    }
}
