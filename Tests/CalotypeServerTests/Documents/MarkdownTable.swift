import Foundation

struct Document {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    let text: String

    init(_ path: String) throws {
        text = try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
    }

    /// The rows of the tables under a heading, without the header rows; each cell as written.
    func rows(under heading: String) -> [[String]] {
        var isInside = false
        var rows: [[String]] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("#") { isInside = line.drop { $0 == "#" || $0 == " " } == heading }
            guard isInside else { continue }
            if line.hasPrefix("|---") {
                rows.removeLast()
            } else if line.hasPrefix("|") {
                let cells = line.dropFirst().dropLast().split(
                    separator: "|",
                    omittingEmptySubsequences: false
                )
                rows.append(cells.map { $0.trimmingCharacters(in: .whitespaces) })
            }
        }
        return rows
    }

    static func codes(in text: some StringProtocol) -> [String] {
        let parts = text.split(separator: "`", omittingEmptySubsequences: false)
        return stride(from: 1, to: parts.count - 1, by: 2).map { String(parts[$0]) }
    }

    static func testNames() throws -> Set<String> {
        let tests = root.appending(path: "Tests").path
        let paths =
            FileManager.default.enumerator(atPath: tests)?.allObjects.compactMap { $0 as? String } ?? []
        var names: Set<String> = []
        for path in paths where path.hasSuffix(".swift") {
            let text = try String(contentsOfFile: "\(tests)/\(path)", encoding: .utf8)
            for word in ["func `", "struct `", "struct ", "@Suite struct "] {
                let end: Character = word.hasSuffix("`") ? "`" : " "
                for part in text.components(separatedBy: word).dropFirst() {
                    names.insert(String(part.prefix { $0 != end && $0 != "\n" && $0 != ":" && $0 != "<" }))
                }
            }
        }
        return names
    }
}
