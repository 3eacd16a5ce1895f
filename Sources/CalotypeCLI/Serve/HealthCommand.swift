import ArgumentParser
import CalotypeHummingbird
import Foundation

/// `calotype health`: checks that a running service is live and ready, for containers without an HTTP client.
struct HealthCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "health",
        abstract: "Checks that a running image service is live and ready.",
        discussion: """
            Requests /health from the image listener and /health/ready from the admin listener, at the \
            addresses in the variables or the file. With --listen or --unix only that listener is asked, \
            below the configured path-prefix.

            Exit status:
              0    live and ready
              1    not live or not ready
            """
    )

    private static let patience: Duration = .seconds(5)

    @Option(help: "Address of an image listener, such as 127.0.0.1:8080.")
    var listen: String?

    @Option(help: "Path of the socket of an image listener.", completion: .file())
    var unix: String?

    @Option(help: "Settings file, one JSON object; default: $CALOTYPE_CONFIG.", completion: .file())
    var config: String?

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard listen == nil || unix == nil else {
            throw ValidationError("--listen and --unix exclude each other; use one of them.")
        }
        if let listen, ListenAddress(listen)?.port ?? 0 == 0 {
            throw ValidationError("--listen must be an address with a port, such as 127.0.0.1:8080.")
        }
    }

    private struct Question {
        let name: String
        let place: String
        let client: AdminClient
        let path: String
    }

    func execute(_ console: Console) async throws -> CommandExitCode {
        let questions: [Question]
        do {
            questions = try await self.questions()
        } catch {
            return try await ServeCommand.report(error, to: console)
        }
        var statuses: [CommandExitCode] = []
        for question in questions {
            let reason = await failure(of: question)
            let record = Record([
                ("question", .text(question.name)), ("address", .text(question.place)),
                ("ok", .flag(reason == nil)), ("reason", reason.map { .text($0) }),
            ])
            if let reason {
                statuses.append(.failure)
                if console.isJSON { try await console.write(record, as: "") }
                try await console.report(error: "\(question.name): \(question.place): \(reason)")
            } else {
                try await console.write(record, as: "\(question.name): \(question.place): ok")
            }
        }
        return .combined(statuses)
    }

    /// Returns the reason why the response is not the expected one, or `nil` if it is.
    private func failure(of question: Question) async -> String? {
        do {
            let answer = try await question.client.get(question.path)
            guard answer.status != 200 else { return nil }
            let text = String(decoding: answer.body, as: UTF8.self)
            let line = text.trimmingCharacters(in: .whitespacesAndNewlines)
            return "status \(answer.status): \(SafeText.shortened(line))"
        } catch {
            return "\(error)"
        }
    }

    private func questions() async throws(SettingMistakes) -> [Question] {
        let environment = ProcessInfo.processInfo.environment
        let places = try await SettingsSource.places(listen: listen, environment, file: config)
        let path = places.pathPrefix + "/health"
        if let unix {
            let client = AdminClient(socketPath: unix, timeout: Self.patience)
            return [Question(name: "live", place: unix, client: client, path: path)]
        }
        let pictures = question("live", places.pictures, path)
        guard listen == nil, let admin = places.admin else { return [pictures] }
        return [pictures, question("ready", admin, "/health/ready")]
    }

    private func question(_ name: String, _ address: ListenAddress, _ path: String) -> Question {
        // Wildcard addresses are reached through the loopback interface.
        let host = ["0.0.0.0": "127.0.0.1", "::": "::1"][address.host] ?? address.host
        let client = AdminClient(host: host, port: address.port, timeout: Self.patience)
        return Question(name: name, place: "\(address)", client: client, path: path)
    }
}
