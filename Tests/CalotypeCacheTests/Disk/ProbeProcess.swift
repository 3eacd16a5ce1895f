import Foundation

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

    var isRunning: Bool { process.isRunning }

    /// Waits for the end; returns the signal that killed it, or its status where none did.
    func wait() -> (signal: Int32?, status: Int32) {
        process.waitUntilExit()
        let isKilled = process.terminationReason == .uncaughtSignal
        return (isKilled ? process.terminationStatus : nil, process.terminationStatus)
    }
}
