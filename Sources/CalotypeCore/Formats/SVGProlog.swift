import FoundationEssentials

/// The part of an SVG document before its root element: a byte order mark, white space, the XML declaration
/// and other processing instructions, comments, and the document type.
///
/// - SeeAlso: XML 1.0, sections 2.8 and 4.3.3; Namespaces in XML 1.0.
struct SVGProlog {
    /// The prefix in which the root element must begin; licences in comments take a few thousand bytes.
    static let maxByteCount = 64 << 10

    private var rest: ArraySlice<UInt8>

    /// Returns whether the first element is `svg`, with any prefix; false for HTML with embedded SVG, and if
    /// no element begins within ``maxByteCount`` bytes.
    static func leadsToSVG(_ file: Data) -> Bool {
        // Most files are of other formats and return here.
        guard let text = text(file) else { return false }
        var prolog = SVGProlog(rest: text[...])
        while true {
            prolog.rest = prolog.rest.drop(while: isSpace)
            guard prolog.skipOne() else { return prolog.isAtRoot }
        }
    }

    /// Returns the beginning of a document as ASCII, with zeros for other characters; `nil` if it is not a
    /// document.
    private static func text(_ file: Data) -> [UInt8]? {
        let start = [UInt8](file.prefix(4))
        let head = file.prefix(maxByteCount)
        switch (start.first, start.dropFirst().first) {
        case (0xFE, 0xFF): return units(head.dropFirst(2), highFirst: true)
        case (0xFF, 0xFE): return units(head.dropFirst(2), highFirst: false)
        case (0, 0x3C): return units(head, highFirst: true)
        case (0x3C, 0): return units(head, highFirst: false)
        case (0xEF, 0xBB): return start.dropFirst(2).first == 0xBF ? [UInt8](head.dropFirst(3)) : nil
        case (let first?, _): return first == 0x3C || isSpace(first) ? [UInt8](head) : nil
        default: return nil
        }
    }

    /// Returns UTF-16 code units as ASCII.
    private static func units(_ bytes: Data, highFirst: Bool) -> [UInt8] {
        let bytes = [UInt8](bytes)
        return stride(from: 0, to: bytes.count - 1, by: 2).map { index in
            let (high, low) = highFirst ? (bytes[index], bytes[index + 1]) : (bytes[index + 1], bytes[index])
            return high == 0 ? low : 0
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }

    // MARK: - Parts

    /// Skips a comment, an instruction or the document type; false if none begins here.
    private mutating func skipOne() -> Bool {
        if rest.starts(with: "<!--".utf8) {
            skip(4, through: "-->")
        } else if rest.starts(with: "<?".utf8) {
            skip(2, through: "?>")
        } else if rest.starts(with: "<!DOCTYPE".utf8), !isTypeOfHTML {
            skipDocumentType()
        } else {
            return false
        }
        return true
    }

    private var isTypeOfHTML: Bool {
        let name = rest.dropFirst(9).drop(while: Self.isSpace).prefix(4)
        return name.map { $0 | 0x20 }.elementsEqual("html".utf8)
    }

    /// Skips to the end of a document type; declarations in brackets contain `>`, and quoted texts may occur
    /// anywhere.
    private mutating func skipDocumentType() {
        var isInBrackets = false
        while let byte = rest.first {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                rest = rest.dropFirst()
                rest = rest.drop { $0 != byte }
            case UInt8(ascii: "<") where rest.starts(with: "<!--".utf8):
                skip(4, through: "-->")
                continue
            case UInt8(ascii: "["): isInBrackets = true
            case UInt8(ascii: "]"): isInBrackets = false
            case UInt8(ascii: ">") where !isInBrackets:
                rest = rest.dropFirst()
                return
            default: break
            }
            rest = rest.dropFirst()
        }
    }

    /// Skips `count` bytes and everything through `text`, or all bytes if it does not occur.
    private mutating func skip(_ count: Int, through text: String) {
        let wanted = Array(text.utf8)
        rest = rest.dropFirst(count)
        while let next = rest.firstIndex(of: wanted[0]) {
            rest = rest[next...]
            if rest.starts(with: wanted) {
                rest = rest.dropFirst(wanted.count)
                return
            }
            rest = rest.dropFirst()
        }
        rest = []
    }

    /// True if an element `svg` begins here, with or without a prefix.
    private var isAtRoot: Bool {
        guard rest.first == UInt8(ascii: "<") else { return false }
        let name = rest.dropFirst().prefix { !Self.isSpace($0) && ![0x3E, 0x2F].contains($0) }
        // The name must end within the bytes, so that a longer name does not match.
        guard name.endIndex < rest.endIndex else { return false }
        let parts = name.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard parts.count <= 2, parts.allSatisfy({ !$0.isEmpty }), let local = parts.last else {
            return false
        }
        return local.elementsEqual("svg".utf8)
    }
}
