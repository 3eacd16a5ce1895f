import ArgumentParser
import CalotypeCore

/// A template for the file names of a batch: text with fields such as `{name}-{width}`.
struct NameTemplate: Hashable, Sendable {
    /// A placeholder, replaced for each image.
    enum Field: String, CaseIterable, Sendable {
        /// The name of the source without its extension.
        case name
        /// A digest of the source's path without links, or of its URL.
        case digest
        /// The number of the source in the list, from 1.
        case number
        case width
        case height
        case format
    }

    private enum Piece: Hashable {
        case text(String)
        case field(Field)
    }

    /// The template `{name}`.
    static let plain = NameTemplate(pieces: [.field(.name)])

    private let pieces: [Piece]

    private init(pieces: [Piece]) {
        self.pieces = pieces
    }

    /// Parses a template.
    ///
    /// - Throws: `ValidationError` if it has an unknown field, or would leave the folder.
    init(_ text: String) throws {
        var pieces: [Piece] = []
        var rest = text[...]
        while !rest.isEmpty {
            let plain = rest.prefix { $0 != "{" && $0 != "}" }
            if !plain.isEmpty { pieces.append(.text(String(plain))) }
            rest = rest.dropFirst(plain.count)
            guard !rest.isEmpty else { break }
            guard rest.first == "{", let end = rest.firstIndex(of: "}") else {
                throw ValidationError("--name “\(text)” has an unmatched brace.")
            }
            pieces.append(.field(try Self.field(rest[..<end].dropFirst())))
            rest = rest[rest.index(after: end)...]
        }
        guard !pieces.isEmpty else { throw ValidationError("--name must not be empty.") }
        guard !text.hasPrefix("."), !text.contains("/"),
            !text.unicodeScalars.contains(where: { $0.value < 0x20 })
        else {
            throw ValidationError("--name must be one file name, without “/” and without a leading dot.")
        }
        self.pieces = pieces
    }

    private static func field(_ name: Substring) throws -> Field {
        if let field = Field(rawValue: String(name)) { return field }
        let names = Field.allCases.map(\.rawValue)
        let near = SimilarNames.of(String(name), among: names)
        let hint =
            near.isEmpty ? "the fields are \(names.joined(separator: ", "))" : "did you mean {\(near[0])}?"
        throw ValidationError("--name: unknown field {\(SafeText.shortened(String(name), to: 40))}; \(hint)")
    }

    /// Whether an image keeps its name in runs with other images.
    var isStable: Bool {
        !pieces.contains(.field(.number))
            || pieces.contains { [.field(.name), .field(.digest)].contains($0) }
    }

    /// Whether names depend on properties of the encoded image.
    var needsImage: Bool {
        pieces.contains { [.field(.width), .field(.height), .field(.format)].contains($0) }
    }

    /// Returns the name with the given fields filled in; other fields remain as written.
    func text(_ values: [Field: String]) -> String {
        pieces.map { piece in
            switch piece {
            case .text(let text): text
            case .field(let field): values[field] ?? "{\(field.rawValue)}"
            }
        }.joined()
    }
}
