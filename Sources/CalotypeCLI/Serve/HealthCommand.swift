import ArgumentParser
import CalotypeHummingbird
import Foundation

/// `calotype health`: whether a running service lives and is ready, for containers without another client.
struct HealthCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "health",
        abstract: "Asks a running image service whether it lives and takes requests.",
        discussion: """
            Asks the listener for pictures for /health, and the admin listener for /health/ready, where the \
            settings have them: variables or a file. With --listen or --unix that listener alone is asked, \
            below the path-prefix that is set.

            Exit status:
              0    it lives, and is ready
              1    it does not, or is not
            """
    )

    private static let patience: Duration = .seconds(5)

    @Option(help: "The address of a listener for pictures, as 127.0.0.1:8080.")
    var listen: String?

    @Option(help: "The path of a socket that a listener for pictures was started with.", completion: .file())
    var unix: String?

    @Option(help: "A file of settings: one JSON object. Else that of CALOTYPE_CONFIG.", completion: .file())
    var config: String?

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard listen == nil || unix == nil else {
            throw ValidationError("--listen and --unix are two places; one of them is asked.")
        }
        if let listen, ListenAddress(listen)?.port ?? 0 == 0 {
            throw ValidationError("--listen is an address with a port, as 127.0.0.1:8080.")
        }
    }

    /// A question, and what it tells.
    private struct Question {
        let name: String
        let place: String
        let client: AdminClient
        let path: String
    }

    func execute(_ console: Console) async throws -> ProgramStatus {
        let questions: [Question]
        do {
            questions = try await self.questions()
        } catch {
            return try await ServeCommand.report(error, to: console)
        }
        var statuses: [ProgramStatus] = []
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

    /// The reason why the answer is not the right one; `nil` where it is.
    private func failure(of question: Question) async -> String? {
        do {
            let answer = try await question.client.get(question.path)
            guard answer.status != 200 else { return nil }
            let text = String(decoding: answer.body, as: UTF8.self)
            let line = text.trimmingCharacters(in: .whitespacesAndNewlines)
            return "it answers \(answer.status): \(SafeText.shortened(line))"
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
        // All addresses of the machine are asked at its own.
        let host = ["0.0.0.0": "127.0.0.1", "::": "::1"][address.host] ?? address.host
        let client = AdminClient(host: host, port: address.port, timeout: Self.patience)
        return Question(name: name, place: "\(address)", client: client, path: path)
    }
}
