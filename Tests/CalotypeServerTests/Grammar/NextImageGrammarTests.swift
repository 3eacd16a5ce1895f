import CalotypeCore
import CalotypeServer
import CalotypeTesting
import CalotypeTransforms
import TestSupport
import Testing

@Suite(.blocking) struct NextImageGrammarTests {
    private static func grammar(site: String? = "https://shop.test/base") throws -> NextImageGrammar {
        let widths = try #require(AllowedWidths([16, 384, 640, 3_840]))
        return NextImageGrammar(widths: widths, site: try site.map { try SiteOrigin($0) })
    }

    private static func rendering(_ query: String) throws -> Rendering {
        try grammar().rendering(of: "/_next/image?\(query)")
    }

    @Test(arguments: [
        ("url=%2Fa.jpg&w=640&q=75", "https://shop.test/base/a.jpg"),
        ("q=75&w=640&url=%2Fa%20b.jpg%3Fv%3D1%262", "https://shop.test/base/a%20b.jpg?v=1&2"),
        ("url=/a+b.jpg&w=640&q=75", "https://shop.test/base/a%20b.jpg"),
        ("url=/a+\u{301}b&w=640&q=75", "https://shop.test/base/a%20%CC%81b"),
        ("url=/%CC%81b&w=640&q=75", "https://shop.test/base/%CC%81b"),
        ("url=https%3A%2F%2Fcdn.test%2Fa.jpg&w=640&q=75&dpl=dpl_1", "https://cdn.test/a.jpg"),
        ("&&url=HTTP://CDN.test/a.jpg&w=640&q=75&", "http://cdn.test/a.jpg"),
    ])
    func `the source is a path of the site, or a URL`(query: String, source: String) throws {
        #expect(try Self.rendering(query).source.description == source)
        #expect(try Self.grammar().rendering(of: "/_next/image/?\(query)").source.description == source)
    }

    @Test(arguments: [(640, 640, 427), (3_840, 1_200, 800), (16, 16, 11)])
    func `an image is as wide as requested, and never enlarged`(width: Int, across: Int, down: Int) throws {
        let picture = TestImages.asymmetric(PixelSize(width: 1_200, height: 800), format: .gray8)
        let rendering = try Self.rendering("url=/a.jpg&w=\(width)&q=75")
        #expect(try rendering.transforms.apply(to: picture).size == PixelSize(width: across, height: down))
    }

    @Test(arguments: [(75, 55), (20, 1), (21, 1), (100, 80), (1, 1)])
    func `AVIF has a quality of 20 less than other formats, at least 1`(quality: Int, ofAVIF: Int) throws {
        let rendering = try Self.rendering("url=/a.jpg&w=640&q=\(quality)")
        #expect(rendering.isNegotiated)
        #expect(rendering.quality.quality(for: .avif, default: 63) == ofAVIF)
        for format in [ImageFormat.jpeg, .webP] {
            #expect(rendering.quality.quality(for: format, default: 80) == quality)
        }
    }

    @Test(arguments: [
        ("", RequestError.Code.invalidOption), ("w=640&q=75", .invalidOption),
        ("url=&w=640&q=75", .invalidOption),
        ("url=/a&q=75", .invalidOption), ("url=/a&w=640", .invalidOption),
        ("url=/a&url=/b&w=640&q=75", .invalidOption), ("url=/a&w=640&w=640&q=75", .invalidOption),
        ("url=/a&w=641&q=75", .invalidOption), ("url=/a&w=\u{301}640&q=75", .invalidOption),
        ("url=/a&w=+640&q=75", .invalidOption),
        ("url=/a&w=640.0&q=75", .invalidOption), ("url=/a&w=-640&q=75", .invalidOption),
        ("url=/a&w=99999999999999999999&q=75", .invalidOption), ("url=/a&w=640&q=0", .invalidOption),
        ("url=/a&w=640&q=101", .invalidOption), ("url=%zz&w=640&q=75", .invalidOption),
        ("url=//evil.test/a&w=640&q=75", .invalidSource), ("url=/%5Cevil.test/a&w=640&q=75", .invalidSource),
        ("url=/../a&w=640&q=75", .invalidSource), ("url=/%252e%252e/a&w=640&q=75", .invalidSource),
        ("url=local:///etc/passwd&w=640&q=75", .invalidSource),
        ("url=ftp://a.test/b&w=640&q=75", .invalidSource),
        ("url=a.jpg&w=640&q=75", .invalidSource), ("url=data:image/png,x&w=640&q=75", .invalidSource),
        ("url=http://u:p@cdn.test/a&w=640&q=75", .invalidSource),
        ("url=/_next/image&w=640&q=75", .invalidSource),
        ("url=/x/_next/image/%3Furl%3D/a&w=640&q=75", .invalidSource),
        ("url=/%255fnext/image&w=640&q=75", .invalidSource),
        ("url=/cdn-cgi/image/w%3D1/a&w=640&q=75", .invalidSource),
    ])
    func `a query that Next.js refuses is refused`(query: String, code: RequestError.Code) throws {
        #expect(refusal { _ = try Self.rendering(query) } == code, "\(query)")
    }

    @Test func `a URL of kilobytes, and thousands of parameters, are refused`() throws {
        let long = String(repeating: "a", count: 3_072)
        #expect(refusal { _ = try Self.rendering("url=/\(long)&w=640&q=75") } == .pathTooLong)
        #expect(refusal { _ = try Self.rendering(String(repeating: "&", count: 4_000)) } == .pathTooLong)
        let query = "url=/a&w=640&q=75&" + String(repeating: "b", count: 9_000)
        #expect(refusal { _ = try Self.rendering(query) } == .pathTooLong)
    }

    @Test func `a path without a site is refused`() throws {
        let grammar = try Self.grammar(site: nil)
        let code = refusal { _ = try grammar.rendering(of: "/_next/image?url=/a&w=640&q=75") }
        #expect(code == .sourceNotAllowed)
    }

    @Test func `only the configured qualities are allowed`() throws {
        var grammar = try Self.grammar()
        grammar.qualities = [75, 90]
        _ = try grammar.rendering(of: "/_next/image?url=/a&w=640&q=90")
        let code = refusal { _ = try grammar.rendering(of: "/_next/image?url=/a&w=640&q=80") }
        #expect(code == .invalidOption)
    }

    @Test(arguments: ["ftp://a.test", "local:///a", "https://a.test/?b", "https://a.test/#b", "a.test", ""])
    func `a text that is not the URL of a site is refused`(text: String) {
        #expect(refusal { _ = try SiteOrigin(text) } == .invalidSource)
    }
}
