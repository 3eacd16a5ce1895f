import ArgumentParser
import CalotypeServer
import Foundation

struct SignCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign",
        abstract: "Signs URL paths for the image service.",
        discussion: """
            A path is options and source, such as /rs:fit:300:300/plain/https://images.example/a.jpg for \
            imgproxy and 300x200/images.example/a.jpg for thumbor. The key comes from the configuration: \
            CALOTYPE_KEY and CALOTYPE_SALT, or CALOTYPE_THUMBOR_KEY, or a file. The output is the path that \
            clients request, including the path-prefix.
            """
    )

    @Option(
        help: "URL grammar: imgproxy or thumbor.",
        completion: .list(["imgproxy", "thumbor"]),
        transform: SignCommand.grammar
    )
    var grammar = ImageService.Grammar.imgproxy

    @Option(help: "Settings file, one JSON object; default: $CALOTYPE_CONFIG.", completion: .file())
    var config: String?

    @Argument(help: ArgumentHelp("Options and source.", valueName: "path"))
    var paths: [String]

    @OptionGroup var output: OutputOptions

    func execute(_ console: Console) async throws -> CommandExitCode {
        let settings: ServeSettings
        do {
            settings = try await SettingsSource.read([], ProcessInfo.processInfo.environment, file: config)
                .settings
        } catch {
            return try await ServeCommand.report(error, to: console)
        }
        guard hasKey(settings) else {
            throw ValidationError(
                grammar == .imgproxy
                    ? "No key is set; set CALOTYPE_KEY and CALOTYPE_SALT, or name them in a file (--config)."
                    : "No key is set; set CALOTYPE_THUMBOR_KEY, or name it in a file (--config)."
            )
        }
        var statuses: [CommandExitCode] = []
        for path in paths {
            do {
                let target = try target(of: path, settings)
                let record = Record([("path", .text(path)), ("url", .text(target))])
                // Not shortened, however long it is: it is used as printed.
                try await console.write(record, as: SafeText.line(target))
            } catch let error as RequestError {
                try await console.report(error: "\(SafeText.shortened(path)): \(error)")
                statuses.append(.failure)
            }
        }
        return .combined(statuses)
    }

    private func hasKey(_ settings: ServeSettings) -> Bool {
        switch grammar {
        case .imgproxy: settings.service.imgproxy?.signature.isRequired ?? false
        case .thumbor: settings.service.thumbor?.signature.isRequired ?? false
        case .nextImage, .cloudflare: false
        }
    }

    private func target(of path: String, _ settings: ServeSettings) throws(RequestError) -> String {
        let prefix = settings.listeners.pathPrefix
        switch grammar {
        case .imgproxy:
            let path = path.hasPrefix("/") ? path : "/" + path
            return prefix + (try settings.service.imgproxy?.signed(path) ?? path)
        case .thumbor: return prefix + "/thumbor" + (settings.service.thumbor?.signed(path) ?? path)
        case .nextImage, .cloudflare: return prefix + path
        }
    }

    private static func grammar(_ text: String) throws -> ImageService.Grammar {
        guard let grammar = ImageService.Grammar(rawValue: text.lowercased()),
            [.imgproxy, .thumbor].contains(grammar)
        else {
            throw ValidationError("--grammar must be imgproxy or thumbor.")
        }
        return grammar
    }
}
