enum SizeRules {
    static let maxSourceLines = 500
    static let maxTestLines = 600
    static let maxFunctionLines = 70
    static let maxColumns = 110

    static func fileBreaches(in files: [SourceTree.File]) -> [Breach] {
        files.compactMap { file in
            let limit = file.components[0] == "Tests" ? maxTestLines : maxSourceLines
            guard file.lines.count > limit else { return nil }
            return Breach(
                path: file.path,
                line: limit,
                remedy: "\(file.lines.count) lines; split it by concept"
            )
        }
    }

    static func columnBreaches(in files: [SourceTree.File]) -> [Breach] {
        files.flatMap { file in
            file.numberedLines.filter { $0.text.count > maxColumns }.map {
                Breach(
                    path: file.path,
                    line: $0.number,
                    remedy: "\($0.text.count) columns; at most \(maxColumns)"
                )
            }
        }
    }

    /// Functions that are too long, from their first line to the brace in the same column.
    static func functionBreaches(in files: [SourceTree.File]) -> [Breach] {
        files.filter { $0.path.hasSuffix(".swift") }.flatMap(longFunctions)
    }

    private static func longFunctions(in file: SourceTree.File) -> [Breach] {
        file.numberedLines.compactMap { line in
            guard startsFunction(line.text) else { return nil }
            let indent = line.text.prefix { $0 == " " }
            let rest = file.lines[line.number...]
            guard let end = rest.firstIndex(where: { $0 == indent + "}" }) else { return nil }
            let count = end - line.number
            guard count > maxFunctionLines else { return nil }
            return Breach(
                path: file.path,
                line: line.number,
                remedy: "a function of \(count) lines; split it"
            )
        }
    }

    private static func startsFunction(_ line: String) -> Bool {
        let text = line.drop { $0 == " " }
        guard !text.hasPrefix("//"), !text.hasPrefix("}") else { return false }
        let words = text.split(whereSeparator: { " (<`".contains($0) })
        return (words.contains("func") || words.contains("init")) && !line.hasSuffix("}")
    }
}
