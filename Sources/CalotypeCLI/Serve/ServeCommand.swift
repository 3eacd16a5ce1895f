import ArgumentParser
import CalotypeHummingbird
import CalotypeServer
import Foundation

struct ServeCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serves images by URL, in the grammars of imgproxy and thumbor.",
        usage: "calotype serve [--config <file>] [--check <url>] [--print-config] [--json] [<setting> …]",
        discussion: """
            Default: it listens on 127.0.0.1:8080 and caches results in memory and in the user's cache \
            folder; metrics, health, purges and a console are on 127.0.0.1:8081. Without a key it does \
            not listen on an address reachable from other machines, unless --allow-unsigned is set.

            Each setting is a flag (--listen 0.0.0.0:80), a variable (CALOTYPE_LISTEN) and a member of the \
            file ({"listen": "0.0.0.0:80"}). Precedence: flags, CALOTYPE_ variables, IMGPROXY_ variables, \
            file.

            SIGTERM and SIGINT stop it after responses in progress; a second signal stops it at once. \
            SIGHUP reloads the settings.

            SETTINGS
            """.replacing("SETTINGS", with: SettingsPage.help)
    )

    @Option(help: "Settings file, one JSON object; default: $CALOTYPE_CONFIG.", completion: .file())
    var config: String?

    @Option(
        help: ArgumentHelp(
            "Explain a URL and exit: its options, its signature and its result.",
            valueName: "url"
        )
    )
    var check: String?

    @Flag(help: "Print all settings with their origins and exit; secrets are masked.")
    var printConfig = false

    @Argument(
        parsing: .allUnrecognized,
        help: ArgumentHelp("Settings: --name value, --name=value, or --name.", valueName: "setting")
    )
    var settings: [String] = []

    @OptionGroup var output: OutputOptions

    func execute(_ console: Console) async throws -> CommandExitCode {
        let (signals, sink) = AsyncStream<Int32>.makeStream()
        // From here on a signal to reload waits for the start; before, it would end the process.
        if !printConfig, check == nil { SignalHandler.onNotice { sink.yield($0) } }
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
        return try await run.run()
    }

    static func report(_ error: SettingMistakes, to console: Console) async throws -> CommandExitCode {
        for mistake in error.mistakes { try await console.report(error: "\(mistake)") }
        return .usage
    }
}
