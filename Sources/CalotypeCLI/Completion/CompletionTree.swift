import ArgumentParser
import Foundation

/// The commands with their options and values, for shell completions.
struct CompletionTree: Sendable {
    enum Value: Hashable, Sendable {
        case any
        case words([String])
        case file
        case folder
        /// A step of `--transform`.
        case step
    }

    struct NamedOption: Hashable, Sendable {
        /// The names with their dashes, the long ones first.
        let names: [String]
        let summary: String
        /// The kind of the value; `nil` for a flag.
        let value: Value?
    }

    let name: String
    let summary: String
    let options: [NamedOption]
    /// The arguments without a name; the last one repeats.
    let positionals: [Value]
    let commands: [CompletionTree]

    /// Returns the option with a name such as `--format` or `-f`.
    func option(_ name: String) -> NamedOption? {
        options.first { $0.names.contains(name) }
    }
}

extension CompletionTree {
    /// Creates the tree of the program, from the parser's description and the settings of the service.
    ///
    /// - Throws: `DecodingError` if the description has an unexpected form.
    init(_ root: (some ParsableCommand).Type) throws {
        let description = Data(root._dumpHelp().utf8)
        self.init(try JSONDecoder().decode(Description.self, from: description).command)
    }

    private init(_ command: Description.Command) {
        let arguments = (command.arguments ?? []).filter(\.shouldDisplay)
        let isService = command.commandName == ServeCommand.configuration.commandName
        name = command.commandName
        summary = command.abstract ?? ""
        options =
            arguments.filter { $0.kind != "positional" }.map(\.option) + (isService ? Self.settings : [])
        positionals = isService ? [] : arguments.filter { $0.kind == "positional" }.map(\.value)
        // “help” is handled separately, since its arguments are the names of all commands.
        commands = (command.subcommands ?? []).filter { $0.shouldDisplay && $0.commandName != "help" }
            .map { CompletionTree($0) }
    }

    private static let settings = ServeSetting.all.map { setting in
        let value: Value? =
            switch setting.kind {
            case .flag: nil
            case .choice(let words): .words(words)
            default: .any
            }
        return NamedOption(names: [setting.flag], summary: setting.summary, value: value)
    }
}

/// The used parts of the parser's description.
private struct Description: Decodable {
    struct Command: Decodable {
        let commandName: String
        let abstract: String?
        let shouldDisplay: Bool
        let arguments: [Argument]?
        let subcommands: [Command]?
    }

    struct Argument: Decodable {
        struct Name: Decodable {
            let kind: String
            let name: String
        }

        struct Completion: Decodable {
            struct Values: Decodable { let values: [String] }
            struct Empty: Decodable {}

            let list: Values?
            let file: Empty?
            let directory: Empty?
        }

        let kind: String
        let shouldDisplay: Bool
        let names: [Name]?
        let abstract: String?
        let valueName: String?
        let completionKind: Completion?

        var value: CompletionTree.Value {
            if valueName == "step" { return .step }
            if let list = completionKind?.list { return .words(list.values) }
            if completionKind?.file != nil { return .file }
            return completionKind?.directory != nil ? .folder : .any
        }

        var option: CompletionTree.NamedOption {
            let names = (names ?? []).map { ($0.kind == "long" ? "--" : "-") + $0.name }
            return CompletionTree.NamedOption(
                names: names.filter { $0.hasPrefix("--") } + names.filter { !$0.hasPrefix("--") },
                summary: abstract ?? "",
                value: kind == "flag" ? nil : value
            )
        }
    }

    let command: Command
}
