/// Rules for the index “Where things are” of ARCHITECTURE.md.
///
/// Each row has the terms of a concept, then files and functions in backquotes. A file is relative to the
/// module of the section without `.swift`, or relative to `Sources`; a function ends with `(` and is declared
/// in the file before it.
enum IndexRules {
    /// A file or a function that a row names.
    private struct Entry {
        let module: String
        let name: String
        let line: Int
    }

    private static let path = "ARCHITECTURE.md"

    /// Reports files and functions that do not exist, and folders that no row names.
    static func breaches(in document: [String], files: [SourceTree.File]) -> [Breach] {
        let sources = files.filter { $0.components[0] == "Sources" && !$0.path.hasSuffix(".h") }
        let byPath = Dictionary(uniqueKeysWithValues: sources.map { ($0.path, $0) })
        var (breaches, named, last): ([Breach], Set<String>, SourceTree.File?) = ([], [], nil)
        for entry in entries(in: document) {
            if entry.name.hasSuffix("(") {
                let isDeclared = last?.lines.contains { $0.contains("func \(entry.name)") } ?? false
                if !isDeclared { breaches.append(breach(entry, "is not a function of the file before it")) }
                continue
            }
            let candidates = ["\(entry.module)/\(entry.name).swift", "\(entry.name).swift", entry.name]
            let found = candidates.compactMap { byPath["Sources/\($0)"] }
            if found.count != 1 { breaches.append(breach(entry, "names \(found.count) files; name one")) }
            last = found.first
            named.formUnion(found.map { folder(of: $0) })
        }
        let missing = Set(sources.map(folder)).subtracting(named).sorted()
        return breaches + missing.map { Breach(path: path, line: 1, remedy: "name a file of \($0)") }
    }

    private static func breach(_ entry: Entry, _ problem: String) -> Breach {
        Breach(path: path, line: entry.line, remedy: "\(entry.module): `\(entry.name)` \(problem)")
    }

    private static func folder(of file: SourceTree.File) -> String {
        file.components.dropLast().joined(separator: "/")
    }

    private static func entries(in document: [String]) -> [Entry] {
        var module: String?
        return document.enumerated().flatMap { index, line -> [Entry] in
            if line.hasPrefix("#") {
                module = line.hasPrefix("### ") ? String(line.dropFirst(4)) : nil
            }
            let cells = line.split(separator: "|")
            guard let module, line.hasPrefix("|"), cells.count > 1 else { return [] }
            return cells[1].matches(of: #/`([^`]+)`/#).map {
                Entry(module: module, name: String($0.1), line: index + 1)
            }
        }
    }
}
