public import CalotypeCore

/// How an answer is shown or saved, and under which name (RFC 6266), as text that no name can break.
public struct ContentDisposition: Hashable, Sendable {
    /// The most characters of a name.
    private static let nameLengthMax = 100

    /// `inline` or `attachment`.
    private let kind: String
    /// The name without its extension.
    private let stem: String
    /// The same in ASCII, with `_` for all else.
    private let plainStem: String

    /// Reads what a URL says of it.
    ///
    /// - Parameters:
    ///   - rendering: Whose `filename` counts, or the last part of the source's path, without its extension.
    ///   - savesByDefault: Whether it is saved where the URL does not say; false unless given.
    public init(_ rendering: Rendering, savesByDefault: Bool = false) {
        kind = rendering.delivery.isAttachment ?? savesByDefault ? "attachment" : "inline"
        let name = rendering.delivery.fileName.map(Self.clean) ?? Self.sourceName(rendering.source)
        stem = name.isEmpty ? "image" : name
        plainStem = String(stem.unicodeScalars.map { $0.isASCII ? Character($0) : "_" })
    }

    /// The value of the field for an answer in a format.
    public func value(for format: ImageFormat) -> String {
        let field = "\(kind); filename=\"\(plainStem).\(format.fileExtension)\""
        guard plainStem != stem else { return field }
        return "\(field); filename*=UTF-8''\(Self.encoded("\(stem).\(format.fileExtension)"))"
    }

    private static func sourceName(_ source: SourceURL) -> String {
        let last = source.path.split(separator: "/").last ?? ""
        let name = URLText.percentDecoded(last) ?? ""
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return clean(name) }
        return clean(String(name[..<dot]))
    }

    /// A name without what ends a field or a line, leads to another folder, or turns the text around.
    private static func clean(_ name: String) -> String {
        let kept = name.unicodeScalars.filter { scalar in
            !"\"\\/:*?<>|%;".unicodeScalars.contains(scalar) && !isInvisible(scalar)
        }
        return String(String.UnicodeScalarView(kept.prefix(nameLengthMax)).drop { $0 == "." || $0 == " " })
    }

    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator:
            true
        default: false
        }
    }

    /// Percent-encoded as RFC 8187 has it.
    private static func encoded(_ name: String) -> String {
        name.utf8.reduce(into: "") { text, byte in
            let isPlain =
                (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
                || "-._~".utf8.contains(byte)
            if isPlain {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                text += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
    }
}
