/// Files whose types name each other in a circle.
///
/// A file depends on the file that declares a type which it names. A type that is only a namespace
/// (`Outer.Inner`, `extension Outer { struct Inner … }`) is not named by that.
struct TypeCircles {
    private let dependencies: [String: Set<String>]

    init(_ files: [SourceTree.File]) {
        let texts = files.map { file in (path: file.path, text: Self.code(of: file)) }
        var owners: [String: Set<String>] = [:]
        for (path, text) in texts {
            let declarations = text.matches(
                of: /\b(?:class|struct|enum|protocol|actor|typealias) ([A-Z]\w+)/
            )
            for declaration in declarations { owners[String(declaration.1), default: []].insert(path) }
        }
        // A name that several files declare is nested in different types.
        let owner = owners.compactMapValues { $0.count == 1 ? $0.first : nil }
        let pairs = texts.map { path, text in
            let names = Set(text.matches(of: /\b[A-Z]\w+/).map { String($0.output) })
            return (path, Set(names.compactMap { owner[$0] }).subtracting([path]))
        }
        dependencies = Dictionary(uniqueKeysWithValues: pairs)
    }

    var circles: [Set<String>] {
        var reachable = dependencies
        for middle in dependencies.keys {
            let further = reachable[middle] ?? []
            for (path, files) in reachable where files.contains(middle) {
                reachable[path] = files.union(further)
            }
        }
        let circles = reachable.map { path, files in
            files.filter { reachable[$0]?.contains(path) == true }.union([path])
        }
        return Set(circles.filter { $0.count > 1 }).sorted { $0.count > $1.count }
    }

    /// The text of a file without comments, strings and namespaces.
    private static func code(of file: SourceTree.File) -> String {
        file.lines.map { $0.replacing(/\/\/.*/, with: "") }.joined(separator: "\n")
            .replacing(/"(?:\\.|[^"\\\n])*"/, with: "")
            .replacing(/\b[A-Z]\w+\s*\.\s*(?=[A-Z])/, with: "")
            .replacing(
                /extension [A-Z]\w+ \{\s*(?=(?:public |package )?(?:struct|enum|final class) )/,
                with: ""
            )
    }
}
