/// The candidates for completing a word.
struct Completions: Hashable, Sendable {
    struct Candidate: Hashable, Sendable {
        let text: String
        var summary = ""
    }

    /// The kind of paths that the shell adds.
    enum Paths: String, Sendable {
        case none
        case files
        case folders
    }

    private(set) var candidates: [Candidate] = []
    private(set) var paths = Paths.none

    /// Finds the candidates.
    ///
    /// - Parameters:
    ///   - words: The words after the program's name; the last one, which may be empty, is completed.
    ///   - root: The commands.
    init(of words: [String], in root: CompletionTree) {
        var command = root
        var positionals = command.positionals
        var pending: CompletionTree.NamedOption?
        var isHelp = false
        var takesOptions = true
        for word in words.dropLast() {
            if pending != nil {
                pending = nil
            } else if takesOptions, word == "--" {
                takesOptions = false
            } else if takesOptions, word.hasPrefix("-"), word != "-" {
                let option = command.option(word)
                pending = option?.value == nil ? nil : option
            } else if command.name == root.name, word == "help" {
                isHelp = true
            } else if let next = command.commands.first(where: { $0.name == word }) {
                (command, positionals) = (next, next.positionals)
            } else if positionals.count > 1 {
                positionals.removeFirst()
            }
        }
        let last = words.last ?? ""
        if let value = pending?.value {
            add(value, to: last, prefix: "")
        } else if isHelp {
            addCommands(of: command, to: last)
        } else if takesOptions, last.hasPrefix("-"), let equals = last.firstIndex(of: "=") {
            guard let value = command.option(String(last[..<equals]))?.value else { return }
            let start = last.index(after: equals)
            add(value, to: String(last[start...]), prefix: String(last[..<start]))
        } else if takesOptions, last.hasPrefix("-") {
            addOptions(of: command, to: last)
        } else {
            addCommands(of: command, to: last)
            if command.name == root.name, "help".hasPrefix(last) {
                candidates.append(Candidate(text: "help", summary: "Shows the help of a command."))
            }
            if let value = positionals.first { add(value, to: last, prefix: "") }
        }
    }

    private mutating func addCommands(of command: CompletionTree, to word: String) {
        candidates += command.commands.filter { $0.name.hasPrefix(word) }.map {
            Candidate(text: $0.name, summary: $0.summary)
        }
    }

    private mutating func addOptions(of command: CompletionTree, to word: String) {
        let names = command.options.flatMap { option in
            option.names.filter { $0.hasPrefix(word) }.map { Candidate(text: $0, summary: option.summary) }
        }
        candidates += names
    }

    private mutating func add(_ value: CompletionTree.Value, to word: String, prefix: String) {
        switch value {
        case .any: break
        case .file: paths = .files
        case .folder: paths = .folders
        case .words(let words):
            candidates += words.filter { $0.hasPrefix(word) }.map { Candidate(text: prefix + $0) }
        case .step:
            candidates += Self.steps(word).map { Candidate(text: prefix + $0.text, summary: $0.summary) }
        }
    }

    /// Returns the steps with a prefix; after the colon, the keys of the step that are not given yet.
    private static func steps(_ word: String) -> [Candidate] {
        guard let colon = word.firstIndex(of: ":") else {
            return TransformGrammar.steps.filter { $0.name.hasPrefix(word) }.map { step in
                let hasArguments = !step.keys.isEmpty || step.bareKey != nil
                return Candidate(text: step.name + (hasArguments ? ":" : ""), summary: step.purpose)
            }
        }
        guard let step = TransformGrammar.steps.first(where: { $0.name == word[..<colon] }) else { return [] }
        let start = word[colon...].lastIndex(of: ",") ?? colon
        let (head, key) = (word[...start], word[word.index(after: start)...])
        let given = Set(word[colon...].dropFirst().split(separator: ",").map { $0.prefix { $0 != "=" } })
        return step.keys.sorted().filter { $0.hasPrefix(key) && !given.contains($0[...]) }.map {
            Candidate(text: head + $0 + "=", summary: step.grammar)
        }
    }
}

extension Completions {
    /// Returns the output for a shell's script: the kind of paths, then a line for each candidate.
    ///
    /// - Parameter typed: The part of the word that the shell keeps; it is omitted from each candidate.
    /// - Returns: The lines.
    func text(withoutHead typed: String = "") -> String {
        let lines = candidates.map { candidate in
            let text =
                candidate.text.hasPrefix(typed)
                ? String(candidate.text.dropFirst(typed.count)) : candidate.text
            let summary = SafeText.shortened(candidate.summary, to: 70)
            return summary.isEmpty || !typed.isEmpty ? text : "\(text)\t\(summary)"
        }
        return ([paths.rawValue] + lines).joined(separator: "\n") + "\n"
    }
}
