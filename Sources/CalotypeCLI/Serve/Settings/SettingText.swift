import CalotypeServer
import Foundation

/// Validation of settings that are text.
enum SettingText {
    /// Characters that may separate an imgproxy option from its arguments: those that a path may contain
    /// unescaped, and that no option, number, base64 source or preset definition contains.
    static let separators: Set<Character> = [":", ";", "!", "$", "&", "'", "(", ")", "*", "~"]

    /// Shorter secrets, in bytes, are rejected: all of them can be tried.
    static let minSecretByteCount = 4
    /// Shorter secrets, in bytes, cause a warning.
    static let secretByteCountAdvised = 16

    /// Returns the reason why no setting can have a text, or `nil` for a valid one.
    static func problem(_ text: String) -> String? {
        if text.unicodeScalars.contains(where: { $0.value < 32 || $0.value == 127 }) {
            return "it contains a control character, such as a line break; remove it"
        }
        guard let first = text.unicodeScalars.first, let last = text.unicodeScalars.last else { return nil }
        let isPadded = first.properties.isWhitespace || last.properties.isWhitespace
        return isPadded ? "it begins or ends with white space; remove it" : nil
    }

    /// Whether a text may be the value of a header field: visible ASCII characters and blanks.
    static func isFieldValue(_ text: String) -> Bool { text.utf8.allSatisfy { (32...126).contains($0) } }

    /// Returns the reason why a path cannot be a URL prefix, or `nil` for a valid one.
    static func problem(pathPrefix path: String) -> String? {
        guard !path.isEmpty else { return nil }
        guard path.hasPrefix("/") else { return "the path must begin with /" }
        let isPlain = path.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "/-._~!$&'()*+,;=:@".utf8.contains(byte)
            }
        }
        guard isPlain else { return "it has characters not allowed in a URL path; write it like /images" }
        let parts = path.split(separator: "/")
        return parts.contains(".") || parts.contains("..") ? "it has the segment . or ..; remove it" : nil
    }

    /// Normalizes a path prefix as the router does, since signed and displayed URLs append paths to it.
    static func joined(pathPrefix path: String) -> String {
        path.split(separator: "/").map { "/" + $0 }.joined()
    }

    /// Returns the reason why a text cannot be a base URL, or `nil` for a valid one.
    static func problem(publicURL text: String) -> String? {
        guard !text.isEmpty else { return nil }
        do throws(RequestError) {
            let source = try SourceURL(text)
            guard source.scheme != "local", !source.pathAndQuery.contains("?"), !text.contains("#") else {
                return "it is not a base URL; write it like https://pictures.example"
            }
            return nil
        } catch {
            return "it is not a base URL; write it like https://pictures.example"
        }
    }

    /// Returns the reason why no source can begin with a text, or `nil` for a valid one.
    static func problem(baseURL text: String) -> String? {
        guard !text.isEmpty else { return nil }
        do throws(RequestError) {
            _ = try SourceURL(text + "a")
            return nil
        } catch {
            return "no source can begin with it; write it like https://images.example/"
        }
    }
}
