import ArgumentParser
import CalotypeCodecs
import CalotypeSandbox

/// The option to run codecs in confined processes.
struct SandboxOptions: ParsableArguments {
    /// The command name of such a process.
    static let workerCommand = "codec-worker"

    @Flag(help: "Decode and encode in separate, locked-down processes.")
    var sandbox = false

    /// Returns the codecs; starts workers if requested.
    ///
    /// - Parameter console: Receives warnings about features missing without full confinement.
    /// - Returns: The codecs.
    /// - Throws: `SandboxError` if workers are requested and cannot be confined.
    func codecs(_ console: Console) async throws -> CodecRegistry {
        guard sandbox else { return .standard }
        let workers = try await Self.workers()
        for warning in workers.warnings { try await console.report(warning: warning) }
        return workers.codecs(.standard)
    }

    /// Starts workers that run this program.
    ///
    /// - Parameter change: Changes their configuration.
    /// - Returns: The workers, after the first one has started.
    /// - Throws: `SandboxError`.
    static func workers(
        _ change: (inout CodecWorkers.Configuration) -> Void = { _ in }
    ) async throws -> CodecWorkers {
        // Runs the same file even if another one has taken its name.
        var configuration = CodecWorkers.Configuration(
            executable: "/proc/self/exe",
            arguments: [workerCommand]
        )
        change(&configuration)
        return try await CodecWorkers.start(configuration)
    }
}

/// `calotype codec-worker`: a hidden command; the program starts workers itself.
struct CodecWorkerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: SandboxOptions.workerCommand,
        abstract: "Runs codecs for another calotype process; internal, not to be started by hand.",
        shouldDisplay: false
    )

    func run() throws { CodecWorker.run() }
}
