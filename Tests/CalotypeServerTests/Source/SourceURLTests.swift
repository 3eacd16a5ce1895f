import CalotypeServer
import FoundationEssentials
import TestSupport
import Testing

@Suite(.gated) struct SourceURLTests {
    @Test(arguments: [
        "http://allowed@evil/", "http://allowed:80@evil", "http://user:password@src.test/a", "//host/a",
        "host/a",
        "http:/host/a", "http:host", "http://", "http:///a", "http://host\\@evil/", "http:\\\\host\\a",
        "http://host/a\tb", "http://host/a\r\nHost: evil", "http://ho st/", "http://host/a\u{0}",
        "http://%65vil.example/", "http://ev\u{2100}il.example/", "http://host/../etc/passwd",
        "http://host/a/..",
        "http://host/%2e%2e%2fa", "http://host/..%2fa", "http://host/..%5ca", "http://host/%252e%252e%252fa",
        "http://host/%25252e%25252e/a", "http://host/a%00b", "http://host/a%2500b", "http://host:0/",
        "http://host:65536/", "http://host:8x/", "http://host:-1/", "http://host: 80/",
        "http://[::1%25eth0]/",
        "http://[fe80::1%eth0]/", "http://[::1/", "http://[host]/", "http://host..evil/", "http://./",
        "http://host../", "http://22../",
        "file:///etc/passwd", "ftp://host/", "gopher://host/", "data:image/png;base64,AAAA",
        "javascript:alert(1)",
        "local://host/a", "local:///../a", "local:///a/%2e%2e/b",
        "http://host/%252525252e",
    ])
    func `an ambiguous URL, or one that leads upwards, is refused`(text: String) {
        #expect(refusal { _ = try SourceURL(text) } == .invalidSource)
    }

    @Test(arguments: [
        ("HTTP://Host.Example/A", "http://host.example/A"), ("https://host", "https://host/"),
        ("http://host:80/a", "http://host/a"), ("https://host:80/a", "https://host:80/a"),
        ("http://host./a", "http://host/a"), ("http://host:/a", "http://host/a"),
        ("http://host?q", "http://host/?q"), ("http://host/a?b=c?d&e=%2F", "http://host/a?b=c?d&e=%2F"),
        ("http://evil/#@allowed", "http://evil/"), ("http://host/a b\"<>", "http://host/a%20b%22%3C%3E"),
        ("http://host/ö", "http://host/%C3%B6"),
        ("http://[::FFFF:127.0.0.1]:8080/a", "http://[::ffff:127.0.0.1]:8080/a"),
        ("http://127.1/", "http://127.0.0.1/"), ("http://2130706433/", "http://127.0.0.1/"),
        ("http://0x7f000001/", "http://127.0.0.1/"), ("http://2130706433./", "http://127.0.0.1/"),
        ("http://22\u{3002}/", "http://0.0.0.22/"), ("http://host/\u{301}a", "http://host/%CC%81a"),
        ("http://bücher.example/", "http://xn--bcher-kva.example/"),
        ("http://evil\u{3002}example/", "http://evil.example/"), ("http://h\u{212A}ost/", "http://hkost/"),
        (
            "http://host/a%20[1]|100%.jpg?q=[é]%C3%A9",
            "http://host/a%20%5B1%5D%7C100%25.jpg?q=%5B%C3%A9%5D%C3%A9"
        ),
        ("local:///a%20[1].jpg", "local:///a%2520%5B1%5D.jpg"),
        ("local:///a b#c?d.jpg", "local:///a%20b%23c%3Fd.jpg"),
        ("http://host/100%25.jpg", "http://host/100%25.jpg"),
        ("http://host/a..b/...", "http://host/a..b/..."),
        ("https://host/?u=http://other/../x", "https://host/?u=http://other/../x"),
    ])
    func `a URL is normalised`(text: String, url: String) throws {
        let source = try SourceURL(text)
        #expect(source.url.absoluteString == url)
        // File names are not normalised.
        guard source.scheme != "local" else { return }
        #expect(try SourceURL(url) == source)
    }
}

@Suite(.gated) struct SourcePolicyTests {
    private static func permits(_ places: [String], _ text: String) throws -> Bool {
        let policy = try SourcePolicy(places)
        return refusal { try policy.check(SourceURL(text)) } == nil
    }

    @Test(arguments: [
        ("https://images.example", "https://images.example/a"), ("images.example", "http://images.example/a"),
        ("images.example", "https://IMAGES.example./a"),
        ("https://images.example/shop", "https://images.example/shop/a"),
        ("https://images.example/shop/", "https://images.example/shop"),
        ("https://images.example/shop", "https://images.example/shop?x"),
        ("*.images.example", "https://a.images.example/"),
        ("https://*.images.example/x", "https://a.b.images.example/x/y"),
        ("http://images.example:8080", "http://images.example:8080/a"), ("local:///shop", "local:///shop/a"),
        ("https://images.example:443", "https://images.example/a"),
    ])
    func `an allowed source covers what is below it`(place: String, source: String) throws {
        #expect(try Self.permits([place], source))
        #expect(try Self.permits(["https://other.example", place], source))
    }

    @Test(arguments: [
        ("https://images.example", "https://images.example.evil.example/"),
        ("https://images.example", "http://images.example/"),
        ("https://images.example", "https://images.example:8443/"),
        ("https://images.example", "https://evil.example/images.example"),
        ("https://images.example/shop", "https://images.example/shopping"),
        ("https://images.example/shop", "https://images.example/Shop/a"),
        ("https://images.example/shop", "https://images.example/?/shop/a"),
        ("*.images.example", "https://images.example/"), ("*.images.example", "https://evilimages.example/"),
        ("images.example", "local:///images.example"), ("local:///shop", "local:///shopping/a"),
        ("local:///shop", "https://shop/"), ("https://images.example/sh", "https://images.example/%73h/a"),
    ])
    func `an allowed source covers nothing beside it`(place: String, source: String) throws {
        #expect(try !Self.permits([place], source))
    }

    @Test
    func `by default the web is permitted and files are not, and an empty list permits nothing`() throws {
        let web = try SourceURL("https://host/a")
        try SourcePolicy().check(web)
        #expect(refusal { try SourcePolicy().check(SourceURL("local:///a")) } == .sourceNotAllowed)
        #expect(refusal { try SourcePolicy(patterns: []).check(web) } == .sourceNotAllowed)
    }

    @Test func `a redirect is checked like a source`() throws {
        let policy = try SourcePolicy(["https://images.example"])
        let urls = [
            "https://images.example/b", "https://evil.example/", "file:///etc/passwd",
            "http://images.example/",
        ]
        #expect(
            try urls.map { policy.permits(try #require(URL(string: $0))) } == [true, false, false, false]
        )
    }

    @Test(arguments: ["", "ftp://host", "https://host?x", "https://user@host", "*", "https://"])
    func `an invalid allowed source is refused when parsed`(text: String) {
        #expect(refusal { _ = try SourcePolicy([text]) } == .invalidSource)
    }
}
