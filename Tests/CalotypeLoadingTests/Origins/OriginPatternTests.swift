import FoundationEssentials
import TestSupport
import Testing

@testable import CalotypeLoading

@Suite(.gated)
struct `Patterns of origins` {
    @Test(arguments: [
        ("https://images.example", "https://images.example"),
        ("HTTPS://Images.EXAMPLE/", "https://images.example"),
        ("https://images.example:443", "https://images.example"),
        ("http://images.example:443", "http://images.example:443"),
        ("http://10.0.0.5:08080", "http://10.0.0.5:8080"),
        ("http://127.1", "http://127.0.0.1"),
        ("http://[0:0::1]:81", "http://[::1]:81"),
        ("https://*.images.example:8443", "https://*.images.example:8443"),
        ("https://*.Example", "https://*.example"),
    ])
    func `an origin is parsed into its canonical form`(text: String, canonical: String) throws {
        let pattern = try OriginPattern(text)
        #expect(pattern.description == canonical)
        #expect(try OriginPattern(canonical) == pattern)
    }

    @Test(arguments: [
        "", "images.example", "*.images.example", "//a.test", "https:/a.test", "ftp://a.test", "file:///a",
        "https://", "https://*", "https://*.", "https://*.*.a.test", "https://a.*.test", "https://*a.test",
        "https://a.test/x", "https://a.test//", "https://a.test?x", "https://a.test#x",
        "https://hush:hush@a.test", "https://a.test\\@b.test", "https://a.test.", "https://*.a.test.",
        "https://*.127.0.0.1", "https://*.1", "https://*.[::1]", "https://[::1", "https://[::1%25eth0]",
        "https://a.test:0", "https://a.test:65536", "https://a.test:x", "https://a test", "https://a\r\nb",
        "https://a.test\u{0}", "https://a%20b", " https://a.test",
    ])
    func `a text that is not exactly an origin is rejected, and not repeated`(text: String) {
        let error = #expect(throws: FetchError.self) { try OriginPattern(text) }
        #expect(error?.code == .invalidURL)
        #expect(error?.detail.contains("hush") == false)
    }

    private static let map: OriginMap<Int> = {
        let texts = [
            "https://a.test", "https://*.a.test", "https://*.b.a.test", "https://x.b.a.test",
            "https://a.test:8443", "http://a.test", "http://[::1]", "http://127.0.0.1",
        ]
        var values: [OriginPattern: Int] = [:]
        for (index, text) in texts.enumerated() {
            do throws(FetchError) {
                values[try OriginPattern(text)] = index + 1
            } catch {
                Issue.record("\(text): \(error)")
            }
        }
        return OriginMap(values)
    }()

    @Test(arguments: [
        ("https://a.test/x?y#z", 1), ("HTTPS://A.TEST:443/", 1), ("https://u:p@a.test/", 1),
        ("https://c.a.test/", 2), ("https://c.d.a.test/", 2), ("https://b.a.test/", 2),
        ("https://C.B.a.test/", 3), ("https://x.b.a.test/", 4), ("https://y.x.b.a.test/", 3),
        ("https://a.test:8443/", 5), ("http://a.test/", 6), ("http://a.test:80/", 6),
        ("http://[0:0:0:0:0:0:0:1]/", 7), ("http://0x7f.1/", 8), ("http://2130706433/", 8),
        // Another scheme, port or host, however similar.
        ("http://c.a.test/", nil), ("https://c.a.test:8443/", nil), ("https://a.test:444/", nil),
        ("https://a.test./", nil), ("https://c.a.test./", nil), ("https://xa.test/", nil),
        ("https://a.test.evil.test/", nil), ("https://test/", nil), ("https://.a.test./", nil),
        ("https://a.test@evil.test/", nil), ("https://evil.test/https://a.test/", nil),
        ("http://127.0.0.2/", nil), ("http://[::ffff:127.0.0.1]/", nil), ("file://a.test/x", nil),
        ("data:,a.test", nil),
    ])
    func `the most exact pattern of a URL applies, and only to its scheme, host and port`(
        text: String,
        value: Int?
    ) throws {
        #expect(Self.map.value(for: try #require(URL(string: text))) == value)
    }

    @Test func `a long name does not take long`() throws {
        let host = Array(repeating: "a", count: 20_000).joined(separator: ".")
        #expect(Self.map.value(for: try #require(URL(string: "https://\(host)/"))) == nil)
        #expect(OriginMap<Int>([:]).value(for: try #require(URL(string: "https://a.test/"))) == nil)
    }
}
