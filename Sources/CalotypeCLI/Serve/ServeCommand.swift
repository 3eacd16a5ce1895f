import ArgumentParser
import CalotypeHummingbird
import CalotypeServer
import Foundation

/// `calotype serve`: the image service.
struct ServeCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Answers image URLs of imgproxy's and thumbor's grammars.",
        usage: "calotype serve [--config <file>] [--check <url>] [--print-config] [--json] [<setting> …]",
        discussion: """
            Without settings it listens on 127.0.0.1:8080 and keeps what it makes in memory and in the \
            user's cache folder; metrics, health, purges and a console are on 127.0.0.1:8081. It does not \
            listen where others reach it without a key, unless --allow-unsigned says so.

            Each setting is a flag (--listen 0.0.0.0:80), a variable (CALOTYPE_LISTEN) and a member of the \
            file ({"listen": "0.0.0.0:80"}). Precedence: flags, CALOTYPE_ variables, IMGPROXY_ variables, \
            file.

            SIGTERM and SIGINT end it once what is under way has been answered; a second signal at once. \
            SIGHUP has it read the settings again.

            SETTINGS
            """.replacing("SETTINGS", with: SettingsPage.help)
    )

    @Option(help: "A file of settings: one JSON object. Else that of CALOTYPE_CONFIG.", completion: .file())
    var config: String?

    @Option(
        help: ArgumentHelp(
            "Explain a URL and end: what is understood, what is signed, what would come out.",
            valueName: "url"
        )
    )
    var check: String?

    @Flag(help: "Show what is set and where it came from, and end; secrets are not shown.")
    var printConfig = false

    @Flag(help: "Serve pictures of its own, and no others, to try it with.")
    var demo = false

    @Argument(
        parsing: .allUnrecognized,
        help: ArgumentHelp("Settings: --name value, --name=value, or --name.", valueName: "setting")
    )
    var settings: [String] = []

    @OptionGroup var output: OutputOptions

    func execute(_ console: Console) async throws -> ProgramStatus {
        let (signals, sink) = AsyncStream<Int32>.makeStream()
        // From now on a reload waits for the start, which a signal would end else.
        if !printConfig, check == nil { Interruption.onNotice { sink.yield($0) } }
        let source: SettingsSource
        do {
            source = try await SettingsSource.read(
                settings,
                ProcessInfo.processInfo.environment,
                file: config
            )
            try await SettingFiles(source.settings).check()
        } catch {
            return try await Self.report(error, to: console)
        }
        if printConfig || check != nil {
            for warning in source.warnings { try await console.report(warning: warning) }
        }
        if printConfig {
            for (setting, text, origin) in source.settings.holding {
                let record = SettingsPage.record(setting, text, origin)
                try await console.write(record, as: SettingsPage.table)
            }
            return .success
        }
        if let check {
            return try await URLCheck(source.settings).explain(check, to: console)
        }
        TraceContext.install()
        let (arguments, file) = (settings, config)
        let environment = ProcessInfo.processInfo.environment
        let run = ServeRun(source.settings, console, warnings: source.warnings, signals: signals) {
            () throws(SettingMistakes) in
            try await SettingsSource.read(arguments, environment, file: file)
        }
        return try await run.run(withPictures: demo)
    }

    /// Tells all that is wrong.
    static func report(_ error: SettingMistakes, to console: Console) async throws -> ProgramStatus {
        for mistake in error.mistakes { try await console.report(error: "\(mistake)") }
        return .usage
    }
}
