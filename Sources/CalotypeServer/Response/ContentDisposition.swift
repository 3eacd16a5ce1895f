package import CalotypeCore

/// The `Content-Disposition` of a response (RFC 6266), safe for any file name.
package struct ContentDisposition: Hashable, Sendable {
    /// The maximum characters of a name.
    private static let maxNameLength = 100

    /// `inline` or `attachment`.
    private let kind: String
    /// The name without its extension.
    private let stem: String
    /// The name in ASCII, with `_` for all other characters.
    private let plainStem: String

    /// Creates the disposition for a rendering.
    ///
    /// - Parameters:
    ///   - rendering: The rendering; the name is its `filename`, else that of the source without extension.
    ///   - isAttachmentByDefault: Whether the response is saved if the URL does not say; false unless given.
    package init(_ rendering: Rendering, isAttachmentByDefault: Bool = false) {
        kind = rendering.delivery.isAttachment ?? isAttachmentByDefault ? "attachment" : "inline"
        let name = rendering.delivery.fileName.map(Self.clean) ?? Self.sourceName(rendering.source)
        stem = name.isEmpty ? "image" : name
        plainStem = String(stem.unicodeScalars.map { $0.isASCII ? Character($0) : "_" })
    }

    package func value(for format: ImageFormat) -> String {
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

    /// Returns a name without characters that end a field or a line, change the folder, or reverse the text.
    private static func clean(_ name: String) -> String {
        let kept = name.unicodeScalars.filter { scalar in
            !"\"\\/:*?<>|%;".unicodeScalars.contains(scalar) && !isInvisible(scalar)
        }
        return String(String.UnicodeScalarView(kept.prefix(maxNameLength)).drop { $0 == "." || $0 == " " })
    }

    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator:
            true
        default: false
        }
    }

    /// Returns a name percent-encoded by RFC 8187.
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
