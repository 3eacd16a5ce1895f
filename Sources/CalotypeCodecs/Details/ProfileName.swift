import CalotypeCore
import CalotypeSupport
import FoundationEssentials

/// Names of colour profiles, read without opening the profile.
enum ProfileName {
    /// The maximum number of tags that are searched; profiles have up to thirty.
    private static let maxTagCount = 256

    /// Returns the description of an ICC profile: its tag `desc`, as text or in the first of its languages.
    ///
    /// All offsets are checked against the bytes of the profile; an invalid one gives `nil`.
    ///
    /// - SeeAlso: ICC.1:2022 sections 7.2, 7.3, 10.15, and ICC.1:2001 section 6.5.17.
    static func ofICC(_ profile: Data) -> String? {
        guard profile.dropFirst(36).starts(with: Data("acsp".utf8)) else { return nil }
        var table = ByteReader(profile.dropFirst(128))
        guard let tagCount = table.bigEndian(UInt32.self) else { return nil }
        for _ in 0..<min(Int(tagCount), maxTagCount) {
            guard let name = table.bytes(4), let offset = table.bigEndian(UInt32.self),
                let byteCount = table.bigEndian(UInt32.self)
            else { return nil }
            guard name == Data("desc".utf8) else { continue }
            return text(of: profile.dropFirst(Int(offset)).prefix(Int(byteCount)))
        }
        return nil
    }

    private static func text(of tag: Data) -> String? {
        var reader = ByteReader(tag)
        guard let type = reader.bytes(4), reader.bytes(4) != nil else { return nil }
        switch type {
        case Data("desc".utf8):
            guard let byteCount = reader.bigEndian(UInt32.self) else { return nil }
            let bytes = tag.dropFirst(12).prefix(min(Int(byteCount), maxByteCount)).prefix { $0 != 0 }
            return shown(String(decoding: bytes, as: UTF8.self))
        case Data("mluc".utf8):
            guard reader.bytes(12) != nil, let byteCount = reader.bigEndian(UInt32.self),
                let offset = reader.bigEndian(UInt32.self)
            else { return nil }
            let bytes = [UInt8](tag.dropFirst(Int(offset)).prefix(min(Int(byteCount), maxByteCount)))
            let units = stride(from: 0, to: bytes.count - 1, by: 2).map {
                UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
            }
            return shown(String(decoding: units.prefix { $0 != 0 }, as: UTF16.self))
        default: return nil
        }
    }

    /// The maximum bytes of a text that are read: ``ImageDetails/maxNameByteCount`` characters of UTF-16.
    private static let maxByteCount = 2 * ImageDetails.maxNameByteCount

    /// Returns the keyword of iCCP, in Latin-1 (PNG 3 section 11.3.2.3).
    static func ofPNG(_ chunk: Data) -> String? {
        let bytes = chunk.prefix(80).prefix { $0 != 0 }
        return shown(String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) })))
    }

    /// Returns the common name of code points of ITU-T H.273; `nil` for sRGB, and for unusual ones.
    static func ofCoded(primaries: Int, transfer: Int) -> String? {
        switch (primaries, transfer) {
        case (9, 16): "Rec. 2100 PQ"
        case (9, 18): "Rec. 2100 HLG"
        case (9, _): "Rec. 2020"
        case (11, _): "DCI-P3"
        case (12, 13): "Display P3"
        case (12, _): "P3-D65"
        default: nil
        }
    }

    /// Returns a text without control characters and within the limit; `nil` if nothing is left.
    private static func shown(_ text: String) -> String? {
        var scalars = String.UnicodeScalarView()
        var byteCount = 0
        for scalar in text.unicodeScalars where scalar.properties.generalCategory != .control {
            byteCount += UTF8.width(scalar)
            guard byteCount <= ImageDetails.maxNameByteCount else { break }
            scalars.append(scalar)
        }
        while scalars.last == " " { scalars.removeLast() }
        let trimmed = String(String.UnicodeScalarView(scalars.drop { $0 == " " }))
        return trimmed.isEmpty ? nil : trimmed
    }
}
