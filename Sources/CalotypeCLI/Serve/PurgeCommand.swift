import ArgumentParser
import CalotypeHummingbird
import Foundation

/// `calotype purge`: has a running service forget pictures.
struct PurgeCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "purge",
        abstract: "Has a running image service forget pictures, in every tier.",
        discussion: """
            Where the service wants a token, CALOTYPE_ADMIN_TOKEN or a file has it. Afterwards nobody is \
            given what was kept; what was being made meanwhile reaches those who waited, and is not kept.
            """
    )

    @Option(help: "Where the admin listener is; else CALOTYPE_ADMIN, or 127.0.0.1:8081.")
    var admin: String?

    @Option(help: "A picture, by the URL of its original; with all that was made of it.")
    var source: String?

    @Option(help: "All pictures whose originals' URLs begin so.")
    var prefix: String?

    @Flag(help: "All pictures.")
    var all = false

    @Option(help: "A file of settings: one JSON object. Else that of CALOTYPE_CONFIG.", completion: .file())
    var config: String?

    @OptionGroup var output: OutputOptions

    func validate() throws {
        let count = [source != nil, prefix != nil, all].count { $0 }
        guard count == 1, source != "", prefix != "" else {
            throw ValidationError("one of --source URL, --prefix TEXT and --all is needed.")
        }
    }

    func execute(_ console: Console) async throws -> ProgramStatus {
        let arguments = admin.map { ["--admin=\($0)"] } ?? []
        var environment = ProcessInfo.processInfo.environment
        // Where the service listens for pictures, and how it checks URLs, is none of this command's affairs.
        let own: Set = ["CALOTYPE_ADMIN", "CALOTYPE_ADMIN_TOKEN", "CALOTYPE_CONFIG"]
        environment = environment.filter { own.contains($0.key) }
        let listeners: ServeSettings.Listeners
        do {
            // Another machine's address needs a token only of whoever listens on it.
            let token = ["--allow-unsigned"]
            listeners = try await SettingsSource.read(arguments + token, environment, file: config).settings
                .listeners
        } catch {
            return try await ServeCommand.report(error, to: console)
        }
        guard let address = listeners.admin else {
            throw CommandError(.notPurged, detail: "there is no admin listener: admin is off")
        }
        let client = AdminClient(host: address.host, port: address.port, token: listeners.adminToken)
        let answer: AdminClient.Answer
        do {
            answer = try await client.post("/purge", body: body)
        } catch {
            throw CommandError(.notPurged, detail: "\(address) does not answer: \(error)")
        }
        guard answer.status == 200, let report = Self.report(answer.body) else {
            let text = SafeText.shortened(Self.reason(answer.body), to: 300)
            throw CommandError(.notPurged, detail: "\(address) answers \(answer.status): \(text)")
        }
        let record = Record([("originals", .count(report.originals)), ("results", .count(report.results))])
        let (originals, results) = (report.originals, report.results)
        let text =
            "\(originals) original\(originals == 1 ? "" : "s") and "
            + "\(results) result\(results == 1 ? "" : "s") purged"
        try await console.write(record, as: text)
        return .success
    }

    /// The text of a refusal: of its JSON, or as it is, without its line end.
    private static func reason(_ body: Data) -> String {
        do {
            if let text = try JSONDecoder().decode([String: String].self, from: body)["error"] { return text }
        } catch {
            // It is text.
        }
        return String(decoding: body, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private struct Report: Decodable {
        let originals: Int
        let results: Int
    }

    private static func report(_ body: Data) -> Report? {
        do {
            return try JSONDecoder().decode(Report.self, from: body)
        } catch {
            // The caller shows what it is instead.
            return nil
        }
    }

    private var body: Data {
        get throws {
            if let source { return try JSONEncoder().encode(["source": source]) }
            if let prefix { return try JSONEncoder().encode(["prefix": prefix]) }
            return try JSONEncoder().encode(["all": true])
        }
    }
}
