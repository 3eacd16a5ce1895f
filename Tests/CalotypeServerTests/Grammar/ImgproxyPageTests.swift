import Calotype
import CalotypeCodecs
import CalotypeCore
import TestSupport
import Testing

@testable import CalotypeServer

@Suite(.gated) struct ImgproxyPageTests {
    private static func rendering(_ tail: String) throws -> Rendering {
        try ImgproxyGrammar().rendering(of: "/unsafe/\(tail)")
    }

    @Test(arguments: [
        ("page:2", PageSelection(first: 2)), ("pg:0", PageSelection()), ("pages:3", PageSelection(count: 3)),
        ("pg:1/pgs:2", PageSelection(first: 1, count: 2)), ("pgs:2/pg:1", PageSelection(first: 1, count: 2)),
        ("pg:1/pg:4", PageSelection(first: 4)), ("pg:2147483647", PageSelection(first: 2_147_483_647)),
        ("w:9", nil),
    ])
    func `pages are selected by the first and their number`(options: String, pages: PageSelection?) throws {
        let rendering = try Self.rendering("\(options)/\(examplePath)")
        #expect(rendering.pages == pages)
        #expect(try rendering.request().decoding.pages == pages)
        #expect(try Self.rendering("raw:1/\(options)/\(examplePath)").request().decoding.pages == nil)
    }

    @Test(arguments: [
        "pg:-1", "pg:", "pg:1:2", "pg:x", "pg:1.5", "pg:2147483648", "pgs:0", "pgs:-1", "pgs:257", "pgs:",
        "pgs:9223372036854775808", "pg:9223372036854775808",
    ])
    func `a page out of range is refused`(option: String) {
        #expect(refusal { _ = try Self.rendering("\(option)/\(examplePath)") } == .invalidOption)
    }

    @Test(arguments: [
        ("jpg", FrameSelection.first), ("tiff", .first), ("bmp", .first), ("heic", .first), ("ico", .first),
        ("png", .first), ("avif", .first), ("gif", .all), ("webp", .all),
    ])
    func `a page is a frame for a result other than GIF and WebP`(
        format: String,
        frames: FrameSelection
    ) throws {
        guard EncodingDefaults().supports(try ImgproxySettings.format(named: format, option: "f")) else {
            return
        }
        #expect(try Self.rendering("pg:1/\(examplePath)@\(format)").request().decoding.frames == frames)
        #expect(try Self.rendering("pg:1/da:1/\(examplePath)@\(format)").request().decoding.frames == .first)
        #expect(try Self.rendering("\(examplePath)@\(format)").request().decoding.frames == .all)
    }

    @Test func `each selection has a request of its own`() throws {
        let options = ["w:9", "pg:0", "pg:1", "pgs:2", "pg:1/pgs:2", "pg:1/da:1"]
        let requests = try options.map { try Self.rendering("\($0)/\(examplePath)@webp").request() }
        #expect(
            Set(requests.map { "\($0.decoding.pages.map { "\($0)" } ?? "-") \($0.decoding.frames)" }).count
                == 6
        )
        let known = try ImgproxyPresets(["second=pg:1"])
        let preset = try ImgproxyGrammar(presets: known).rendering(of: "/unsafe/pr:second/\(examplePath)")
        #expect(preset.pages == PageSelection(first: 1))
    }
}
