/// Tables by text, which clients and origins may choose: each is listed in decision 0361 with its bound.
enum TableRules {
    private static let modules = [
        "Calotype", "CalotypeCache", "CalotypeHummingbird", "CalotypeLoading", "CalotypeSandbox",
        "CalotypeServer", "CalotypeTransfer",
    ]

    /// Returns the stored tables of these modules as `File.member`.
    static func tables(in files: [SourceTree.File]) -> [(name: String, path: String, line: Int)] {
        files.filter { $0.components[0] == "Sources" && modules.contains($0.components[1]) }.flatMap(tables)
    }

    private static func tables(in file: SourceTree.File) -> [(name: String, path: String, line: Int)] {
        let type = file.components.last?.replacing(".swift", with: "") ?? ""
        var scopes: [(indent: Int, isType: Bool)] = []
        return file.numberedLines.compactMap { number, line in
            let text = line.drop { $0 == " " }
            guard !text.isEmpty, !text.hasPrefix("//") else { return nil }
            let indent = line.utf8.count - text.utf8.count
            while let last = scopes.last, last.indent >= indent { scopes.removeLast() }
            let isMember = !scopes.isEmpty && scopes.allSatisfy(\.isType)
            if text.hasSuffix("{") { scopes.append((indent, opensType(text))) }
            // Regular expressions are slow; every table has one of these.
            guard isMember, text.utf8.contains(where: { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "<") }),
                let name = table(in: text)
            else { return nil }
            return ("\(type).\(name)", file.path, number)
        }
    }

    private static func opensType(_ text: Substring) -> Bool {
        let words = text.split { " (<".contains($0) }
        let others: Set<Substring> = ["func", "init", "var", "let", "subscript", "case"]
        return words.contains { ["struct", "class", "actor", "enum", "extension"].contains($0) }
            && !words.contains { others.contains($0) }
    }

    /// Returns the name of a stored property that can grow; what other files may set is a setting.
    private static func table(in text: Substring) -> String? {
        let isSetting =
            ["public ", "package "].contains { text.hasPrefix($0) } && !text.contains("private(set)")
        guard !isSetting, !text.hasPrefix("static "), !text.contains(" static ") else { return nil }
        let kinds =
            #/
            \[(String|Substring|ImageKey\??|EntryName|Key|URL|\[ArraySlice<UInt8>\]):
            |Set<(String|ImageKey|EntryName|URL)>|(MemoryCache|RecentTable)<|IndexedHeap<String
            /#
        guard let name = text.firstMatch(of: #/\b(var|let) (\w+)/#), text.contains(kinds) else { return nil }
        let isConstant = name.1 == "let" && !text.contains("Guarded") && !text.contains("MemoryCache<")
        return isConstant || text.hasSuffix("{") || text.contains(" { ") ? nil : String(name.2)
    }

    static func breaches(in files: [SourceTree.File], listed: Set<String>) -> [Breach] {
        tables(in: files).filter { !listed.contains($0.name) }.map { table in
            let remedy = "list \(table.name) in decision 0361 with its bound, and test it"
            return Breach(path: table.path, line: table.line, remedy: remedy)
        }
    }
}
