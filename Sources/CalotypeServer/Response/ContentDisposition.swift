public import CalotypeCore

/// How an answer is shown or saved, and under which name (RFC 6266), as text that no name can break.
public enum ContentDisposition {
    /// The most characters of a name.
    private static let nameLengthMax = 100

    /// The value of the field.
    ///
    /// - Parameters:
    ///   - rendering: Whose `filename` counts, or the last part of the source's path, without its extension.
    ///   - format: Of the answer.
    ///   - savesByDefault: Whether it is saved where the URL does not say.
    /// - Returns: The value.
    public static func value(
        for rendering: Rendering,
        format: ImageFormat,
        savesByDefault: Bool = false
    ) -> String {
        let isAttachment = rendering.delivery.isAttachment ?? savesByDefault
        let stem = rendering.delivery.fileName.map(clean) ?? sourceName(rendering.source)
        let name = "\(stem.isEmpty ? "image" : stem).\(format.fileExtension)"
        let plain = String(name.unicodeScalars.map { $0.isASCII ? Character($0) : "_" })
        let field = "\(isAttachment ? "attachment" : "inline"); filename=\"\(plain)\""
        return plain == name ? field : "\(field); filename*=UTF-8''\(encoded(name))"
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
