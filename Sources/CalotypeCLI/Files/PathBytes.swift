import Foundation

/// File paths as text that preserves every byte, even if a name is not UTF-8.
///
/// A path is bytes to the system and text to everything else. A byte that is not part of valid UTF-8 becomes
/// one of the last 128 scalars of Unicode's private use planes; `withPathBytes` turns that scalar back.
enum PathBytes {
    /// The scalar of the byte 0.
    private static let base: UInt32 = 0x10FF00

    private static func byte(of scalar: Unicode.Scalar) -> UInt8? {
        scalar.value >= base + 0x80 ? UInt8(scalar.value - base) : nil
    }

    static func text(of bytes: some Collection<UInt8>) -> String {
        let bytes = Array(bytes)
        if let text = String(validating: bytes, as: UTF8.self),
            !text.unicodeScalars.contains(where: { byte(of: $0) != nil })
        {
            return text
        }
        var scalars = String.UnicodeScalarView()
        var rest = bytes[...]
        while let first = rest.first {
            let length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
            let head = rest.prefix(length)
            if let text = String(validating: head, as: UTF8.self), let scalar = text.unicodeScalars.first,
                text.unicodeScalars.count == 1, byte(of: scalar) == nil
            {
                scalars.append(scalar)
                rest = rest.dropFirst(length)
            } else {
                // Always a valid scalar: ASCII bytes are valid UTF-8.
                scalars.append(Unicode.Scalar(base + UInt32(first)) ?? "\u{FFFD}")
                rest = rest.dropFirst()
            }
        }
        return String(scalars)
    }

    /// Returns the bytes of a path, without the terminating zero.
    static func bytes(of text: String) -> [UInt8] {
        guard text.unicodeScalars.contains(where: { byte(of: $0) != nil }) else { return Array(text.utf8) }
        return text.unicodeScalars.flatMap { scalar in
            byte(of: scalar).map { [$0] } ?? Array(String(scalar).utf8)
        }
    }

    /// Returns the text with each byte that is not UTF-8 as `\xE9`, for people and for JSON.
    static func shown(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { byte(of: $0) != nil }) else { return text }
        return text.unicodeScalars.map { scalar in
            byte(of: scalar).map { String(format: "\\x%02X", $0) } ?? String(scalar)
        }.joined()
    }

    /// Whether a text holds bytes that are not UTF-8.
    static func holdsOtherBytes(_ text: String) -> Bool {
        text.unicodeScalars.contains { byte(of: $0) != nil }
    }

    /// Returns the URL of a file, with each byte that is not UTF-8 percent-encoded, or `nil`.
    static func fileURL(_ path: String) -> URL? {
        // Foundation decodes the name of the current folder as UTF-8, too.
        let folder = path.hasPrefix("/") ? "" : currentFolder + "/"
        guard holdsOtherBytes(folder + path) else { return URL(filePath: path) }
        return URL(string: "file://" + percentEncoded(folder + path))
    }

    /// The current folder; empty if it has been removed.
    private static var currentFolder: String {
        guard let bytes = getcwd(nil, 0) else { return "" }
        defer { free(bytes) }
        return text(of: UnsafeRawBufferPointer(start: bytes, count: strlen(bytes)))
    }

    /// Returns the path of a URL: each byte except letters, digits, slashes and `-._~` is percent-encoded.
    static func percentEncoded(_ path: String) -> String {
        let unreserved = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/".utf8)
        return bytes(of: path).map { byte in
            unreserved.contains(byte) ? String(UnicodeScalar(byte)) : String(format: "%%%02X", byte)
        }.joined()
    }

    /// The arguments after the program's name.
    static var arguments: [String] {
        CommandLine.unsafeArgv.withMemoryRebound(
            to: UnsafeMutablePointer<CChar>?.self,
            capacity: Int(CommandLine.argc)
        ) { values in
            (1..<max(1, Int(CommandLine.argc))).compactMap { index in
                values[index].map { value in
                    text(of: UnsafeRawBufferPointer(start: value, count: strlen(value)))
                }
            }
        }
    }
}

extension String {
    /// Calls a function with the zero-terminated bytes of a path.
    func withPathBytes<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
        guard PathBytes.holdsOtherBytes(self) else { return withCString(body) }
        return (PathBytes.bytes(of: self) + [0]).withUnsafeBufferPointer { bytes in
            bytes.withMemoryRebound(to: CChar.self) { chars in
                // Never empty: it ends with the zero.
                chars.baseAddress.map(body) ?? withCString(body)
            }
        }
    }
}
