import ArgumentParser
import CalotypeCodecs
import CalotypeSandbox

/// Whether a command decodes and encodes in processes that can do nothing else.
struct SandboxOptions: ParsableArguments {
    /// What this program is called with to be such a process.
    static let workerCommand = "codec-worker"

    @Flag(help: "Decode and encode in processes of their own, which can do nothing else.")
    var sandbox = false

    /// The codecs; workers have begun to start where they are wanted.
    ///
    /// - Parameter console: Is told what is missed where the system does not lock them in as it should.
    /// - Returns: The codecs.
    /// - Throws: `SandboxError` where they are wanted and cannot be locked in.
    func codecs(_ console: Console) async throws -> CodecRegistry {
        guard sandbox else { return .standard }
        let workers = try await Self.workers()
        for warning in workers.warnings { try await console.report(warning: warning) }
        return workers.codecs(.standard)
    }

    /// Workers that are this program.
    ///
    /// - Parameter change: Changes their configuration.
    /// - Returns: The workers, the first of which has started.
    /// - Throws: `SandboxError`.
    static func workers(
        _ change: (inout CodecWorkers.Configuration) -> Void = { _ in }
    ) async throws -> CodecWorkers {
        // The same file also where another has taken its name.
        var configuration = CodecWorkers.Configuration(
            executable: "/proc/self/exe",
            arguments: [workerCommand]
        )
        change(&configuration)
        return try await CodecWorkers.start(configuration)
    }
}

/// `calotype codec-worker`: told to people only; workers are started by the program itself.
struct CodecWorkerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: SandboxOptions.workerCommand,
        abstract: "Decodes and encodes for another calotype, locked in; not to be started by hand.",
        shouldDisplay: false
    )

    func run() throws { CodecWorker.run() }
}
