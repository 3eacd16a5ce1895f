import ArgumentParser

/// A command that writes to a console and ends with a status.
protocol ConsoleCommand: AsyncParsableCommand {
    var output: OutputOptions { get }

    /// Does the work. An error that is thrown ends the program; one that concerns a single piece of work is
    /// reported and becomes part of the status.
    func execute(_ console: Console) async throws -> ProgramStatus
}

extension ConsoleCommand {
    func run() async throws {
        let status = try await execute(Console(isJSON: output.json))
        guard status == .success else { throw status }
    }
}
