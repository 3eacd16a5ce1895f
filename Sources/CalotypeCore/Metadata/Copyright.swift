/// The creator and the rights of an image, in one line of text each: EXIF's Artist and Copyright (EXIF 2.32
/// section 4.6.5).
///
/// Texts of a file are truncated to ``maxByteCount`` bytes, without control characters.
public struct Copyright: Hashable, Sendable {
    /// The maximum length of each text in bytes of UTF-8.
    public static let maxByteCount = 1_000

    /// The creator; empty if not stated.
    public let artist: String

    /// The rights and their holders; empty if not stated.
    public let notice: String

    /// Creates the texts of a file; `nil` if both are empty.
    ///
    /// - Parameters:
    ///   - artist: The creator.
    ///   - notice: The rights and their holders.
    public init?(artist: String = "", notice: String = "") {
        (self.artist, self.notice) = (Self.line(artist), Self.line(notice))
        if self.artist.isEmpty, self.notice.isEmpty { return nil }
    }

    /// Joins the parts between control characters; EXIF separates two holders of rights by a zero.
    private static func line(_ text: String) -> String {
        let parts = text.unicodeScalars.split { $0.properties.generalCategory == .control }
        let words = parts.map { $0.drop { $0 == " " } }.filter { !$0.isEmpty }
        var line = String.UnicodeScalarView()
        var byteCount = 0
        for scalar in words.map({ Array($0) }).joined(separator: Array("; ".unicodeScalars)) {
            byteCount += UTF8.width(scalar)
            guard byteCount <= maxByteCount else { break }
            line.append(scalar)
        }
        while line.last == " " { line.removeLast() }
        return String(line)
    }
}
