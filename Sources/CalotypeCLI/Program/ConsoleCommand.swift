import ArgumentParser

/// A command that writes to a console and ends with an exit status.
protocol ConsoleCommand: AsyncParsableCommand {
    var output: OutputOptions { get }

    /// Whether standard output carries an image, so that nothing else may be written there.
    var writesImageToOutput: Bool { get }

    /// Runs the command. A thrown error ends the program; an error of a single item is reported and becomes
    /// part of the status.
    func execute(_ console: Console) async throws -> CommandExitCode
}

extension ConsoleCommand {
    var writesImageToOutput: Bool { false }

    func run() async throws {
        if writesImageToOutput {
            guard !output.json else {
                throw ValidationError("--json and an output of “-” both need standard output; use one.")
            }
            guard TextStream.standardOutput.terminalWidth == nil else {
                throw ValidationError("an image cannot be written to a terminal; use a file or a pipe.")
            }
        }
        let status = try await execute(Console(isJSON: output.json, tellsResults: !writesImageToOutput))
        guard status == .success else { throw status }
    }
}
