import ArgumentParser

/// A command that writes to a console and ends with a status.
protocol ConsoleCommand: AsyncParsableCommand {
    var output: OutputOptions { get }

    /// Whether standard output takes an image, so that nothing else may be written there.
    var writesImageToOutput: Bool { get }

    /// Does the work. An error that is thrown ends the program; one that concerns a single piece of work is
    /// reported and becomes part of the status.
    func execute(_ console: Console) async throws -> ProgramStatus
}

extension ConsoleCommand {
    var writesImageToOutput: Bool { false }

    func run() async throws {
        if writesImageToOutput {
            guard !output.json else {
                throw ValidationError("--json and an output of “-” both want standard output.")
            }
            guard TextStream.standardOutput.terminalWidth == nil else {
                throw ValidationError("an image would upset the terminal; send it to a file or a pipe.")
            }
        }
        let status = try await execute(Console(isJSON: output.json, tellsResults: !writesImageToOutput))
        guard status == .success else { throw status }
    }
}
