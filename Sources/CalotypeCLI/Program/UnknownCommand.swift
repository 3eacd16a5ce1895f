import ArgumentParser

/// A check for unknown command names, which the parser reports only as unexpected arguments.
enum UnknownCommand {
    /// Rejects arguments that begin with an unknown command name.
    ///
    /// - Throws: `ValidationError` with similar names.
    static func check(_ arguments: [String], of root: any ParsableCommand.Type) throws {
        var rest = arguments[...]
        var command = root
        if rest.first == "help" { rest = rest.dropFirst() }
        while let name = rest.popFirst() {
            let commands = command.configuration.subcommands
            guard !commands.isEmpty, !name.hasPrefix("-") else { return }
            if let next = commands.first(where: { $0._commandName == name }) {
                command = next
                continue
            }
            let full = command == root ? name : "\(command._commandName) \(name)"
            throw ValidationError(message(full, similarTo: name, among: commands))
        }
    }

    /// Returns the names of the program and of the command that arguments begin with.
    static func names(in arguments: [String], of root: any ParsableCommand.Type) -> [String] {
        var names = [root._commandName]
        var command = root
        for argument in arguments {
            let commands = command.configuration.subcommands
            guard let next = commands.first(where: { $0._commandName == argument }) else { break }
            names.append(argument)
            command = next
        }
        return names
    }

    private static func message(
        _ full: String,
        similarTo name: String,
        among commands: [any ParsableCommand.Type]
    ) -> String {
        let known = commands.filter { $0.configuration.shouldDisplay }.map { $0._commandName }
        let near = SimilarNames.of(name, among: known)
        let hint =
            near.isEmpty
            ? "the commands are \(known.joined(separator: ", "))"
            : "did you mean \(near.joined(separator: " or "))?"
        return "There is no command “\(SafeText.shortened(full, to: 60))”; \(hint)"
    }
}
