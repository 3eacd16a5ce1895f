import CalotypeServer
import Foundation

/// Checks of settings that are text.
enum SettingText {
    /// Characters that part an option of imgproxy's grammar from its arguments: those that a path may have
    /// without an escape, and that no option, number, base64 source or definition of a preset has.
    static let separators: Set<Character> = [":", ";", "!", "$", "&", "'", "(", ")", "*", "~"]

    /// Secrets below this many bytes are refused: all of them can be tried.
    static let secretByteCountMin = 4
    /// Secrets below this many bytes are warned of.
    static let secretByteCountAdvised = 16

    /// The reason why no setting may have a text; `nil` for a text that may be one.
    static func problem(_ text: String) -> String? {
        if text.unicodeScalars.contains(where: { $0.value < 32 || $0.value == 127 }) {
            return "there is a control character in it, as a line end"
        }
        guard let first = text.unicodeScalars.first, let last = text.unicodeScalars.last else { return nil }
        let isPadded = first.properties.isWhitespace || last.properties.isWhitespace
        return isPadded ? "there is a blank at its beginning or end" : nil
    }

    /// Whether a text may be the value of a header field: visible characters of ASCII, and blanks.
    static func isFieldValue(_ text: String) -> Bool { text.utf8.allSatisfy { (32...126).contains($0) } }

    /// The reason why a path cannot stand before those of URLs; `nil` for one that can.
    static func problem(pathPrefix path: String) -> String? {
        guard !path.isEmpty else { return nil }
        guard path.hasPrefix("/") else { return "a path begins with /" }
        let isPlain = path.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "/-._~!$&'()*+,;=:@".utf8.contains(byte)
            }
        }
        guard isPlain else { return "it has other characters than the path of a URL, such as /images" }
        let parts = path.split(separator: "/")
        return parts.contains(".") || parts.contains("..") ? "a part of it is . or .." : nil
    }

    /// A path that stands before those of URLs as the router has it: what is signed and shown joins paths to
    /// it.
    static func joined(pathPrefix path: String) -> String {
        path.split(separator: "/").map { "/" + $0 }.joined()
    }

    /// The reason why a text cannot stand before paths; `nil` for one that can.
    static func problem(publicURL text: String) -> String? {
        guard !text.isEmpty else { return nil }
        do throws(RequestError) {
            let source = try SourceURL(text)
            guard source.scheme != "local", !source.pathAndQuery.contains("?"), !text.contains("#") else {
                return "it is written as https://pictures.example"
            }
            return nil
        } catch {
            return "it is written as https://pictures.example"
        }
    }

    /// The reason why no source could begin with a text; `nil` where one could.
    static func problem(baseURL text: String) -> String? {
        guard !text.isEmpty else { return nil }
        do throws(RequestError) {
            _ = try SourceURL(text + "a")
            return nil
        } catch {
            return "no source can begin so; it is written as https://images.example/"
        }
    }
}
