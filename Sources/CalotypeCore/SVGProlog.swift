/// What may stand before the root element of an SVG document: a byte order mark, white space, the XML
/// declaration and other processing instructions, comments, and the document type.
enum SVGProlog {
    /// Whether the first element is `svg`; false for HTML, whatever it holds, and where no element comes in
    /// reach.
    static func leadsToSVG(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
        while true {
            rest = rest.drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
            guard let next = skipOne(rest) else { return isRoot(rest) }
            rest = next
        }
    }

    /// What comes after a comment, instruction or document type; `nil` where none of them stands here.
    private static func skipOne(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        if bytes.starts(with: "<!--".utf8) { return after("-->", in: bytes.dropFirst(4)) }
        if bytes.starts(with: "<?".utf8) { return after("?>", in: bytes.dropFirst(2)) }
        if bytes.starts(with: "<!DOCTYPE svg".utf8) { return afterDocumentType(bytes) }
        return nil
    }

    /// A document type may hold declarations in brackets, with `>` in them.
    private static func afterDocumentType(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard let mark = bytes.firstIndex(where: { [0x5B, 0x3E].contains($0) }) else { return [] }
        if bytes[mark] == 0x3E { return bytes[(mark + 1)...] }
        return after(">", in: after("]", in: bytes[mark...]))
    }

    /// What comes after `text`; nothing where it does not occur.
    private static func after(_ text: String, in bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let wanted = Array(text.utf8)
        var rest = bytes
        while rest.count >= wanted.count {
            if rest.starts(with: wanted) { return rest.dropFirst(wanted.count) }
            rest = rest.dropFirst()
        }
        return []
    }

    private static func isRoot(_ bytes: ArraySlice<UInt8>) -> Bool {
        let names = ["<svg", "<svg:svg"]
        return names.contains { name in
            guard bytes.starts(with: name.utf8) else { return false }
            let next = bytes.dropFirst(name.utf8.count).first
            return next.map { [0x20, 0x09, 0x0A, 0x0D, 0x3E, 0x2F].contains($0) } ?? false
        }
    }
}
