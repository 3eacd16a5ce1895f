/// Rules for comments and documents, which are in plain technical English.
enum ProseRules {
    /// A paragraph, with the number of its first line.
    struct Paragraph {
        let path: String
        let line: Int
        let text: String
    }

    /// Words that begin no sentence; `Whether` is left to summaries of a `Bool`.
    private static let starts: Set = [
        "What", "Whatever", "Who", "Whoever", "Whose", "Where", "Wherever", "Of", "Nobody", "Somebody",
        "Anybody",
    ]

    /// Words for people: code has callers, clients, waiters and tasks.
    private static let people: Set = [
        "nobody", "somebody", "anybody", "whoever", "whomever", "he", "himself",
    ]

    private static let comparisons: Set = [
        "longer", "more", "less", "larger", "smaller", "later", "earlier", "further", "better", "worse",
    ]

    static func breaches(in paragraphs: [Paragraph]) -> [Breach] {
        paragraphs.flatMap { paragraph in
            sentences(of: paragraph.text).compactMap { sentence in
                remedy(for: sentence).map { remedy in
                    let beginning = sentence.prefix(60)
                    return Breach(
                        path: paragraph.path,
                        line: paragraph.line,
                        remedy: "“\(beginning)”: \(remedy)"
                    )
                }
            }
        }
    }

    private static func remedy(for sentence: Substring) -> String? {
        let text = sentence.replacing(#/`[^`]*`|“[^”]*”/#, with: "“”")
        let words = text.split { !$0.isLetter && $0 != "'" }.map(String.init)
        guard let first = words.first else { return nil }
        if starts.contains(first), text.first == first.first, !text.hasSuffix("?") {
            return "begin with a noun or a verb"
        }
        if let person = words.first(where: { people.contains($0.lowercased()) }) {
            return "say caller, client, waiter or task in place of “\(person)”"
        }
        for index in words.indices.dropFirst().dropLast() where words[index] == "is" {
            let (before, next) = (words[index - 1].lowercased(), words[index + 1])
            let isDenial = next == "none" || next == "no" && !isComparison(words.dropFirst(index + 2).first)
            guard isDenial, before != "there" else { continue }
            return "say “is not a …” or “invalid …” in place of “is \(next)”"
        }
        return nil
    }

    /// Whether a word turns a denial into a comparison, such as “longer”.
    private static func isComparison(_ word: String?) -> Bool {
        guard let word else { return false }
        return comparisons.contains(word)
    }

    private static func sentences(of text: String) -> [Substring] {
        var sentences: [Substring] = []
        var start = text.startIndex
        for range in text.ranges(of: #/[.!?:;][”`)]? +(?=[A-Z“`])/#) {
            sentences.append(text[start...range.lowerBound])
            start = range.upperBound
        }
        sentences.append(text[start...])
        return sentences
    }

    // MARK: Paragraphs

    /// The comments of source files that stand on lines of their own.
    static func comments(in files: [SourceTree.File]) -> [Paragraph] {
        files.flatMap { file in
            paragraphs(of: file) { line in
                let text = line.drop { $0 == " " }
                guard text.hasPrefix("//") else { return nil }
                return String(text.drop { $0 == "/" }.drop { $0 == " " })
            }
        }
    }

    /// The prose of documents: neither code, tables nor headings.
    static func prose(in files: [SourceTree.File]) -> [Paragraph] {
        files.flatMap { file in
            var isCode = false
            return paragraphs(of: file) { line in
                let text = line.drop { $0 == " " }
                if text.hasPrefix("```") { isCode.toggle() }
                let isOther = isCode || text.hasPrefix("```") || text.hasPrefix("|") || text.hasPrefix("#")
                return isOther ? nil : String(text)
            }
        }
    }

    /// Joins lines to paragraphs, which end at empty lines, at other text, and before items of lists.
    private static func paragraphs(
        of file: SourceTree.File,
        text: (String) -> String?
    ) -> [Paragraph] {
        var (found, lines, start): ([Paragraph], [String], Int) = ([], [], 0)
        func end() {
            if !lines.isEmpty {
                found.append(Paragraph(path: file.path, line: start, text: lines.joined(separator: " ")))
            }
            lines = []
        }
        for (number, line) in file.numberedLines {
            guard let text = text(line), !text.isEmpty else {
                end()
                continue
            }
            if isItem(text) { end() }
            if lines.isEmpty { start = number }
            lines.append(withoutMark(text))
        }
        end()
        return found
    }

    private static func isItem(_ text: String) -> Bool {
        text.hasPrefix("- ") || text.hasPrefix("* ") || text.prefixMatch(of: #/[0-9]+\. /#) != nil
    }

    /// The text of an item without its mark and without the name of a parameter.
    private static func withoutMark(_ text: String) -> String {
        guard isItem(text) else { return text }
        return String(text.trimmingPrefix(#/([-*]|[0-9]+\.) ((Parameter \w+|\w+): *)?/#))
    }
}
