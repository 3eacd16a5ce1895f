import ArgumentParser
import CalotypeHummingbird
import Foundation

/// `calotype purge`: purges images from the caches of a running service.
struct PurgeCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "purge",
        abstract: "Purges images from all caches of a running image service.",
        discussion: """
            If the service needs a token, set CALOTYPE_ADMIN_TOKEN or name it in the file. Purged images are \
            no longer served; images in progress still reach their clients, but are not cached.
            """
    )

    @Option(help: "Address of the admin listener; default: $CALOTYPE_ADMIN, or 127.0.0.1:8081.")
    var admin: String?

    @Option(help: "Purge an original and all its results, by the original's URL.")
    var source: String?

    @Option(help: "Purge all images whose original URLs begin with this text.")
    var prefix: String?

    @Flag(help: "Purge all images.")
    var all = false

    @Option(help: "Settings file, one JSON object; default: $CALOTYPE_CONFIG.", completion: .file())
    var config: String?

    @OptionGroup var output: OutputOptions

    func validate() throws {
        let count = [source != nil, prefix != nil, all].count { $0 }
        guard count == 1, source != "", prefix != "" else {
            throw ValidationError("use exactly one of --source URL, --prefix TEXT and --all.")
        }
    }

    func execute(_ console: Console) async throws -> CommandExitCode {
        let arguments = admin.map { ["--admin=\($0)"] } ?? []
        var environment = ProcessInfo.processInfo.environment
        // Settings of the image listener and of URLs do not concern this command.
        let own: Set = ["CALOTYPE_ADMIN", "CALOTYPE_ADMIN_TOKEN", "CALOTYPE_CONFIG"]
        environment = environment.filter { own.contains($0.key) }
        let listeners: ServeSettings.Listeners
        do {
            // The address of another machine needs a token only in the service that listens on it.
            let token = ["--allow-unsigned"]
            listeners = try await SettingsSource.read(arguments + token, environment, file: config).settings
                .listeners
        } catch {
            return try await ServeCommand.report(error, to: console)
        }
        guard let address = listeners.admin else {
            throw CommandError(.notPurged, detail: "admin is off, so there is no admin listener; set admin")
        }
        let client = AdminClient(host: address.host, port: address.port, token: listeners.adminToken)
        let answer: AdminClient.Response
        do {
            answer = try await client.post("/purge", body: body)
        } catch {
            throw CommandError(.notPurged, detail: "no response from \(address): \(error)")
        }
        guard answer.status == 200, let report = Self.report(answer.body) else {
            let text = SafeText.shortened(Self.reason(answer.body), to: 300)
            throw CommandError(.notPurged, detail: "status \(answer.status) from \(address): \(text)")
        }
        let record = Record([("originals", .count(report.originals)), ("results", .count(report.results))])
        let (originals, results) = (report.originals, report.results)
        let text =
            "\(originals) original\(originals == 1 ? "" : "s") and "
            + "\(results) result\(results == 1 ? "" : "s") purged"
        try await console.write(record, as: text)
        return .success
    }

    /// Returns the text of an error response, from its JSON or as it is, without its line break.
    private static func reason(_ body: Data) -> String {
        do {
            if let text = try JSONDecoder().decode([String: String].self, from: body)["error"] { return text }
        } catch {
            // It is plain text.
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
            // The caller shows the response instead.
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
