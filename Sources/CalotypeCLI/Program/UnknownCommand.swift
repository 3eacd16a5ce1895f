import ArgumentParser

/// A check for unknown command names, which the parser reports only as unexpected arguments.
enum UnknownCommand {
    /// Rejects arguments that begin with an unknown command name.
    ///
    /// - Throws: `ValidationError` with similar names.
    static func check(_ arguments: [String]) throws {
        var rest = arguments[...]
        var command: any ParsableCommand.Type = CalotypeCommand.self
        if rest.first == "help" { rest = rest.dropFirst() }
        while let name = rest.popFirst() {
            let commands = command.configuration.subcommands
            guard !commands.isEmpty, !name.hasPrefix("-") else { return }
            if let next = commands.first(where: { $0._commandName == name }) {
                command = next
                continue
            }
            throw ValidationError(message(name, command, commands))
        }
    }

    /// Returns the names of the program and of the command that arguments begin with.
    static func names(in arguments: [String]) -> [String] {
        var names = [CalotypeCommand._commandName]
        var command: any ParsableCommand.Type = CalotypeCommand.self
        for argument in arguments {
            let commands = command.configuration.subcommands
            guard let next = commands.first(where: { $0._commandName == argument }) else { break }
            names.append(argument)
            command = next
        }
        return names
    }

    private static func message(
        _ name: String,
        _ command: any ParsableCommand.Type,
        _ commands: [any ParsableCommand.Type]
    ) -> String {
        let known = commands.filter { $0.configuration.shouldDisplay }.map { $0._commandName }
        let near = SimilarNames.of(name, among: known)
        let isRoot = command._commandName == CalotypeCommand._commandName
        let full = isRoot ? name : "\(command._commandName) \(name)"
        let hint =
            near.isEmpty
            ? "the commands are \(known.joined(separator: ", "))"
            : "did you mean \(near.joined(separator: " or "))?"
        return "There is no command “\(SafeText.shortened(full, to: 60))”; \(hint)"
    }
}
