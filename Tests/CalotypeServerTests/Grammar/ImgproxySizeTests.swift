import CalotypeCore
import CalotypeServer
import CalotypeTesting
import CalotypeTransforms
import TestSupport
import Testing

/// Result sizes of imgproxy 4.0 for an image of 1200×800.
@Suite(.blocking) struct ImgproxySizeTests {
    static let picture = TestImages.asymmetric(PixelSize(width: 1_200, height: 800), format: .gray8)

    private static func grammar() throws -> ImgproxyGrammar {
        let presets = try ImgproxyPresets(["thumb=rs:fill:150:150/f:png", "sq=s:200:200/rt:fill"])
        return ImgproxyGrammar(presets: presets)
    }

    @Test(arguments: [
        ("", 1_200, 800), ("/resize:fill:300:300/gravity:no", 300, 300),
        ("/rs:fill:2000:2000:1", 2_000, 2_000),
        ("/rs:fill-down:2000:1000", 1_200, 600), ("/rs:force:500", 500, 800), ("/rs:auto:200:300", 200, 133),
        ("/rs:fit:500:500/exar:1:no", 500, 500), ("/rs:fit:1000:1000/dpr:2", 1_200, 800),
        ("/w:100/mh:200", 100, 200), ("/c:0.5:0.5/w:300", 300, 200), ("/c:400.9:100.5:nowe:10:0.1", 400, 100),
        ("/rot:90/c:600:400", 600, 400), ("/rs:fit:300:300/pd:11/dpr:1.5", 482, 332),
        ("/q:50/rs:fit:600:600", 600, 400), ("/rs:fit:512:512", 512, 341), ("/pr:thumb:sq/w:120", 120, 200),
        ("/rs:fill:300:300/g:fp:0.25:0.75/fl:1/bl:3/sh:0.5", 300, 300),
        ("/el:yes/rs:fill:2000:2000", 1_200, 800),
        ("/rs:fit:300:300", 300, 200), ("/rs:fill:300:300/w:100", 100, 300), ("/rot:90", 800, 1_200),
        ("/rot:-90/w:80", 80, 120), ("/rs:fit:300:300:0:1", 300, 300), ("/z:0.5", 600, 400),
        ("/rs:fit:300:300/pd:1:2:3:4", 306, 204), ("/rs:fit:300:300/pd:10", 320, 220),
        ("/rs:fit:0:0:1:1:no:0:0", 1_200, 800), ("/g:sm/rs:fill:100:100", 100, 100),
        ("/c:5000:10", 1_200, 10), ("/rs:fill:1:100000", 1, 800),
    ])
    func `an image gets the size that imgproxy gives`(options: String, width: Int, height: Int) throws {
        let rendering = try Self.grammar().rendering(of: "/unsafe\(options)/\(examplePath)")
        let result = try rendering.transforms.apply(to: Self.picture)
        #expect(result.size == PixelSize(width: width, height: height))
    }

    @Test func `a side of half a pixel may be rounded either way`() throws {
        let rendering = try Self.grammar().rendering(of: "/unsafe/h:333/\(examplePath)")
        let size = try rendering.transforms.apply(to: Self.picture).size
        #expect(size.height == 333 && [499, 500].contains(size.width))
    }

    @Test(arguments: [PixelSize(width: 1, height: 1), PixelSize(width: 3, height: 4_000)])
    func `small and narrow images retain at least one pixel`(size: PixelSize) throws {
        let picture = TestImages.asymmetric(size, format: .gray8)
        for options in [
            "/rs:fit:2:2", "/rs:fill:7:3", "/w:1", "/h:1/rs:auto", "/c:0.001:0.001", "/dpr:3/w:5",
        ] {
            let rendering = try Self.grammar().rendering(of: "/unsafe\(options)/\(examplePath)")
            #expect(try !rendering.transforms.apply(to: picture).size.isEmpty, "\(options)")
        }
    }

    @Test func `presets expand in place, the default first, and a cyclic one once`() throws {
        let presets = try ImgproxyPresets(["default=w:50/q:7", "a=pr:b/h:10", "b=pr:a/w:20"])
        let grammar = ImgproxyGrammar(presets: presets)
        let plain = try grammar.rendering(of: "/unsafe/\(examplePath)")
        #expect(plain.quality.quality == 7)
        #expect(try plain.transforms.apply(to: Self.picture).size.width == 50)
        let named = try grammar.rendering(of: "/unsafe/pr:a/\(examplePath)")
        #expect(named == (try grammar.rendering(of: "/unsafe/w:20/h:10/\(examplePath)")))
        #expect(refusal { _ = try grammar.rendering(of: "/unsafe/pr:c/\(examplePath)") } == .invalidOption)
    }

    @Test func `a presets-only grammar reads the first segment as preset names`() throws {
        var grammar = try Self.grammar()
        grammar.allowsOnlyPresets = true
        let rendering = try grammar.rendering(of: "/unsafe/thumb:sq/\(examplePath)")
        #expect(rendering.output == .format(.png))
        #expect(refusal { _ = try grammar.rendering(of: "/unsafe/w:10/\(examplePath)") } == .invalidOption)
    }

    @Test(arguments: ["thumb", "=w:1", "a=", "a=w:1=2"])
    func `an invalid preset definition is refused when parsed`(text: String) {
        #expect(refusal { _ = try ImgproxyPresets([text]) } == .invalidOption)
        #expect(refusal { _ = try ImgproxyPresets(["a=w:1", "a=w:2"]) } == .invalidOption)
    }
}
