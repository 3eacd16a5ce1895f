import FoundationEssentials
import TestSupport
import Testing

@testable import CalotypeLoading

/// One address, and the requests that two programs made for it: curl 7.88 (`--globoff`) and Chromium 156,
/// each against a local socket that recorded the bytes of the request.
private struct AddressRow: Decodable {
    /// The program whose request ours must match.
    enum Model: String, Decodable { case both, browser, curl, neither }

    /// The address, or the value of `Location` if there is a base.
    var text: String?
    /// The address in hexadecimal digits, if it is not UTF-8.
    var hex: String?
    var base: String?
    /// Host and target as received, each byte as a Latin-1 character; `nil` if refused.
    var curl: String?
    var browser: String?
    var follows: Model
    /// The expected request if it matches neither program.
    var sent: String?

    var bytes: [UInt8] {
        text.map { Array($0.utf8) }
            ?? stride(from: 0, to: hex?.utf8.count ?? 0, by: 2).compactMap { index in
                UInt8(String(decoding: Array((hex ?? "").utf8)[index..<index + 2], as: UTF8.self), radix: 16)
            }
    }

    var ours: String? {
        guard let base else {
            return text.flatMap { URL(address: $0) }.flatMap(Self.request)
        }
        do {
            let head = Data("HTTP/1.1 302 Found\r\nLocation: ".utf8) + bytes + Data("\r\n\r\n".utf8)
            let location = try HTTPResponseHeader(lines: head).value(of: "Location") ?? ""
            guard !location.isEmpty, let url = URL(address: base) else { return nil }
            return URL(reference: location, relativeTo: url).flatMap(Self.request)
        } catch {
            return nil
        }
    }

    private static func request(_ url: URL) -> String? {
        do {
            let text = try HTTPAddress(url).text
            return text.firstRange(of: "://").map { String(text[$0.upperBound...]) }
        } catch {
            return nil
        }
    }

    /// A request with disallowed characters escaped and escapes in upper case, the two spellings that
    /// RFC 3986 makes equivalent.
    static func spelledAlike(_ request: String?) -> String? {
        guard let request else { return nil }
        let bytes = request.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
        let host = String(decoding: bytes.prefix { $0 != UInt8(ascii: "/") }, as: UTF8.self).lowercased()
        let target = bytes.drop { $0 != UInt8(ascii: "/") }
        let path = target.prefix { $0 != UInt8(ascii: "?") }
        let query = target.dropFirst(path.count)
        let text =
            percentEncoded(path, as: .path)
            + (query.isEmpty ? "" : "?" + percentEncoded(query.dropFirst(), as: .query))
        return host + text.upperCaseEscapes
    }
}

extension String {
    fileprivate var upperCaseEscapes: String {
        var parts = split(separator: "%", omittingEmptySubsequences: false).map(String.init)
        for index in parts.indices.dropFirst() {
            parts[index] = parts[index].prefix(2).uppercased() + parts[index].dropFirst(2)
        }
        return parts.joined(separator: "%")
    }
}

@Suite(.gated, .skipped(under: .thread, because: "computes on one thread")) struct AddressTableTests {
    private static func rows() throws -> [AddressRow] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        let data = try Data(contentsOf: folder.appending(path: "addresses.json"))
        return try JSONDecoder().decode([AddressRow].self, from: data)
    }

    @Test func `each address reaches its origin as with curl or a browser`() throws {
        let rows = try Self.rows()
        #expect(rows.count > 1_000)
        for row in rows {
            let (curl, browser) = (AddressRow.spelledAlike(row.curl), AddressRow.spelledAlike(row.browser))
            let expected: String? =
                switch row.follows {
                case .both, .browser: browser
                case .curl: curl
                case .neither: AddressRow.spelledAlike(row.sent)
                }
            let ours = AddressRow.spelledAlike(row.ours)
            #expect(ours == expected, "\(row.base ?? "") \(row.text ?? row.hex ?? "")")
            if row.follows == .both { #expect(curl == browser, "\(row.text ?? "")") }
        }
    }

    @Test func `a URL made from an address is unchanged by another conversion`() throws {
        for row in try Self.rows() {
            guard row.base == nil, let url = row.text.flatMap({ URL(address: $0) }) else { continue }
            #expect(URL(address: url.absoluteString) == url, "\(row.text ?? "")")
        }
    }

    @Test(arguments: [
        ("data:image/svg+xml,<svg a='%23'/>", "data:image/svg+xml,%3Csvg%20a='%23'/%3E"),
        ("data:text/plain,100%&\u{FC}", "data:text/plain,100%25&%C3%BC"),
        ("data:;base64,AA\r\n AA==", "data:;base64,AA%20AA=="),
        ("file:///a [1]%20b.jpg", "file:///a%20%5B1%5D%20b.jpg"), ("x-album:a?b#c#d", "x-album:a?b#c%23d"),
        (" \u{9}http://h/\u{B}", "http://h/"), ("http://u:p@ss@h/", "http://u:p%40ss@h/"),
    ])
    func `an address of any scheme is escaped once`(text: String, url: String) {
        #expect(URL(address: text)?.absoluteString == url)
    }

    @Test(arguments: [
        "", " ", "photo.jpg", "//h/a", "http:", "http://", "http:h", "http://h:99999/", "http://h:0/",
        "http://a b/",
    ])
    func `text without a scheme or a valid host is not an address`(text: String) {
        #expect(URL(address: text) == nil)
    }

    @Test func `eight megabytes of anything are read in linear time`() {
        let text = "http://h/" + String(repeating: "%é[/../", count: 1 << 20)
        #expect(URL(address: text) != nil)
    }
}
