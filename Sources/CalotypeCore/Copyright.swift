/// Whose a picture is, in a line of text each: EXIF's Artist and Copyright (EXIF 2.32 section 4.6.5).
///
/// What a file says is shortened to ``byteCountMax`` bytes, and what controls a terminal is taken out.
public struct Copyright: Hashable, Sendable {
    /// The most bytes of UTF-8 of each text.
    public static let byteCountMax = 1_000

    /// Who made it; empty where that is not told.
    public let artist: String

    /// Who has the rights in it, and which; empty where that is not told.
    public let notice: String

    /// Creates what a file tells, or `nil` where it tells nothing.
    ///
    /// - Parameters:
    ///   - artist: Who made it.
    ///   - notice: Who has the rights in it.
    public init?(artist: String = "", notice: String = "") {
        (self.artist, self.notice) = (Self.line(artist), Self.line(notice))
        if self.artist.isEmpty, self.notice.isEmpty { return nil }
    }

    /// The parts between control characters, of which EXIF has a zero between two holders of rights.
    private static func line(_ text: String) -> String {
        let parts = text.unicodeScalars.split { $0.properties.generalCategory == .control }
        let words = parts.map { $0.drop { $0 == " " } }.filter { !$0.isEmpty }
        var line = String.UnicodeScalarView()
        var byteCount = 0
        for scalar in words.map({ Array($0) }).joined(separator: Array("; ".unicodeScalars)) {
            byteCount += UTF8.width(scalar)
            guard byteCount <= byteCountMax else { break }
            line.append(scalar)
        }
        while line.last == " " { line.removeLast() }
        return String(line)
    }
}
