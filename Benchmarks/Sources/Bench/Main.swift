import ArgumentParser
import Foundation

/// `make bench`: runs the rows and prints the table.
@main
struct Bench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Measures Calotype against what it is compared with, in turns in one process."
    )

    private static let rows = MemoryRows.all

    @Option(help: "The rows to run, by the beginning of their names; all unless given.")
    var row: [String] = []

    @Option(help: "How many rounds; at least 9.")
    var rounds = 15

    @Option(help: "Where to write the results as JSON.")
    var json: String?

    func validate() throws {
        guard rounds >= 9 else { throw ValidationError("--rounds is at least 9.") }
        for name in row where !Self.rows.contains(where: { $0.name.hasPrefix(name) }) {
            let names = Self.rows.map(\.name).joined(separator: ", ")
            throw ValidationError("There is no row “\(name)”; the rows are \(names).")
        }
    }

    func run() async throws {
        var report = Report()
        print(RowResult.heading)
        for row in Self.rows where isWanted(row) {
            let contest = try await row.prepare()
            let result = RowResult(row, try await Measurement(roundCount: rounds).outcome(of: contest))
            print(result.text)
            report.rows.append(result)
        }
        if let json { try report.write(to: json) }
        let missed = report.rows.filter { !$0.met }.map(\.name)
        if !missed.isEmpty { print("missed: \(missed.joined(separator: ", "))") }
    }

    private func isWanted(_ row: Row) -> Bool {
        self.row.isEmpty || self.row.contains { row.name.hasPrefix($0) }
    }
}
