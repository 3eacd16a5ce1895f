import ArgumentParser
import CalotypeSandbox
import Foundation

/// `make bench`: runs the rows and prints the table.
@main
struct Bench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Measures Calotype against what it is compared with, in turns in one process."
    )

    @Option(help: "The rows to run, by the beginning of their names; all unless given.")
    var row: [String] = []

    @Option(help: "How many rounds; at least 9.")
    var rounds = 15

    @Option(help: "Where to write the results as JSON.")
    var json: String?

    @Flag(help: "Print the table in Markdown, with what each row compares.")
    var markdown = false

    @Flag(help: "Print the names of all rows, and what they compare.")
    var list = false

    @Option(
        parsing: .remaining,
        help: ArgumentHelp("What a row measures in a process of its own.", visibility: .private)
    )
    var probe: [String] = []

    static func main() async {
        if CommandLine.arguments.dropFirst() == [SandboxRows.workerCommand] { CodecWorker.run() }
        await main(nil)
    }

    func validate() throws {
        guard rounds >= 9 else { throw ValidationError("--rounds is at least 9.") }
        for name in row where !AllRows.rows.contains(where: { $0.name.hasPrefix(name) }) {
            throw ValidationError("There is no row “\(name)”; --list prints those there are.")
        }
    }

    func run() async throws {
        guard probe.isEmpty else { return try await runProbe() }
        guard !list else { return AllRows.rows.forEach { print("\($0.name): \($0.title)") } }
        var report = Report()
        print(markdown ? RowResult.markdownHeading : RowResult.heading)
        for row in AllRows.rows where isWanted(row) {
            do {
                let result = RowResult(row, try await row.outcome(Measurement(roundCount: rounds)))
                print(markdown ? result.markdown : result.text)
                report.rows.append(result)
            } catch let skipped as Skipped {
                print("\(row.name): skipped, \(skipped.reason)")
                report.skipped.append(Report.SkippedRow(name: row.name, reason: skipped.reason))
            }
            fflush(nil)
        }
        if let json { try report.write(to: json) }
        let missed = report.rows.filter { !$0.met }.map(\.name)
        if !missed.isEmpty { print("missed: \(missed.joined(separator: ", "))") }
    }

    private func runProbe() async throws {
        guard let probe = AllRows.probes.first(where: { $0.name == self.probe[0] }) else {
            throw ValidationError("There is no probe “\(self.probe[0])”.")
        }
        for figure in try await probe.measure(Array(self.probe.dropFirst())) { print(figure) }
    }

    private func isWanted(_ row: Row) -> Bool {
        self.row.isEmpty || self.row.contains { row.name.hasPrefix($0) }
    }
}
