import ArgumentParser
import CalotypeSupport

/// Runs the program from its arguments to its exit status.
enum Program {
    /// Parses and runs a command; the process should end after it.
    ///
    /// - Parameter arguments: The arguments after the program's name.
    /// - Returns: The exit status.
    static func run(_ arguments: [String]) async -> Int32 {
        InheritedDescriptors.prepare()
        if let text = completions(arguments) { return tell(text, on: .standardOutput) ? 0 : 1 }
        let signals = SignalHandler()
        let work = Task { await status(of: arguments) }
        signals.onSignal { work.cancel() }
        let ownStatus = await work.value
        // A thread may still be in a library, which must not be unloaded under it.
        if let status = signals.exitStatus(own: ownStatus) {
            TemporaryNames.removeFiles()
            _exit(status)
        }
        return ownStatus
    }

    /// Returns the completion script of a shell, or the completions of a line; `nil` for all other arguments.
    private static func completions(_ arguments: [String]) -> String? {
        guard let first = arguments.first else { return nil }
        if first == CompletionScripts.request {
            do {
                let tree = try CompletionTree(CalotypeCommand.self)
                return String(CompletionScripts.answer(arguments.dropFirst(), in: tree).dropLast())
            } catch {
                return ErrorText.describe(error)
            }
        }
        let option = "--generate-completion-script"
        let shell = first == option ? arguments.dropFirst().first : nil
        let named = shell ?? (first.hasPrefix(option + "=") ? String(first.dropFirst(option.count + 1)) : nil)
        return named.flatMap(CompletionScripts.script)
    }

    private static func status(of arguments: [String]) async -> Int32 {
        do {
            try await perform(arguments)
            return CommandExitCode.success.rawValue
        } catch let status as CommandExitCode {
            return status.rawValue
        } catch is CancellationError {
            return CommandExitCode.interrupted.rawValue
        } catch let error as CommandError where error.code == .outputClosed {
            // `calotype transforms | head -1` succeeds.
            return CommandExitCode.success.rawValue
        } catch {
            return explain(error, of: arguments)
        }
    }

    @concurrent
    private static func perform(_ arguments: [String]) async throws {
        try UnknownCommand.check(arguments, of: CalotypeCommand.self)
        var command = try CalotypeCommand.parseAsRoot(arguments)
        if var asynchronous = command as? any AsyncParsableCommand {
            try await asynchronous.run()
        } else {
            try command.run()
        }
    }

    /// Prints errors that no command has printed: help on standard output, all else on standard error.
    private static func explain(_ error: any Error, of arguments: [String]) -> Int32 {
        let parserCode = CalotypeCommand.exitCode(for: error)
        if parserCode == .success {
            return tell(CalotypeCommand.fullMessage(for: error), on: .standardOutput) ? 0 : 1
        }
        if parserCode == .validationFailure {
            let message = SafeText.withoutCredentials(CalotypeCommand.fullMessage(for: error))
            tell(shortened(usage(message, of: arguments)), on: .standardError)
            return CommandExitCode.usage.rawValue
        }
        tell(Style.ofStandardError.error(ErrorText.describe(error)), on: .standardError)
        return ErrorText.status(for: error).rawValue
    }

    /// Returns the message of a usage error with the help of its command; omits parts of a header field that
    /// the shell has split, since they may be secret.
    private static func usage(_ message: String, of arguments: [String]) -> String {
        let names = UnknownCommand.names(in: arguments, of: CalotypeCommand.self).joined(separator: " ")
        let help = "See '\(names) --help'"
        let hasHeader = arguments.contains { $0.hasPrefix("-H") || $0.hasPrefix("--header") }
        if hasHeader, message.contains(/^Error: (\d+ u|U)nexpected argument/) {
            let remedy = "a header field is one argument: -H 'Name: value'"
            let text = "Too many arguments; \(remedy)"
            return "Error: \(text)\n  \(help) for more information."
        }
        // Errors of a running command name only the help of the root command.
        return message.replacing("See '\(CalotypeCommand._commandName) --help'", with: help)
    }

    /// Returns the parser's message in the form of all others, without its list of options, which is 20
    /// lines.
    private static func shortened(_ message: String) -> String {
        let lines = message.split(separator: "\n").filter { !$0.hasPrefix("Usage:") }
        let text = lines.joined(separator: "\n")
        return text.hasPrefix("Error: ") ? "error: " + text.dropFirst("Error: ".count) : text
    }

    @discardableResult
    private static func tell(_ text: String, on stream: TextStream) -> Bool {
        do {
            try stream.write(text + "\n")
            return true
        } catch {
            // The reader has closed the stream; the exit status remains.
            return false
        }
    }
}
