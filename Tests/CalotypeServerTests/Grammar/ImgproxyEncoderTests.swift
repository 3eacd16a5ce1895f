import Calotype
import CalotypeServer
import TestSupport
import Testing

/// Options of individual encoders: `jpgo`, `pngo`, `webpo`, `avifo`, and the number of frames.
@Suite(.gated) struct ImgproxyEncoderTests {
    private static func rendering(_ tail: String) throws -> Rendering {
        try ImgproxyGrammar().rendering(of: "/unsafe/\(tail)/\(examplePath)")
    }

    private static func preferences(
        _ change: (inout EncoderPreferences) -> Void
    ) -> EncoderPreferences {
        var preferences = EncoderPreferences()
        change(&preferences)
        return preferences
    }

    private static let parsed: [(option: String, preferences: EncoderPreferences)] = [
        ("jpgo:1", preferences { $0.isJPEGProgressive = true }),
        ("jpeg_options:0:1", preferences { ($0.isJPEGProgressive, $0.hasFullJPEGChroma) = (false, true) }),
        ("jpgo::1:0:0:0:0", preferences { $0.hasFullJPEGChroma = true }), ("jpgo:", preferences { _ in }),
        ("jpgo:1/jpgo::1", preferences { ($0.isJPEGProgressive, $0.hasFullJPEGChroma) = (true, true) }),
        ("pngo:1", preferences { $0.isPNGInterlaced = true }),
        (
            "png_options::1:16",
            preferences { ($0.quantizesPNG, $0.maxPNGColorCount) = (true, 16) }
        ),
        ("pngo:::256", preferences { $0.maxPNGColorCount = 256 }),
        ("webpo:lossless", preferences { $0.isWebPLossless = true }),
        ("webp_options:lossy::icon", preferences { ($0.isWebPLossless, $0.webPPreset) = (false, .icon) }),
        ("webpo:::default", preferences { $0.webPPreset = .standard }),
        ("avifo:on", preferences { $0.avifSubsampling = .on }),
        ("avif_options:off/avifo:auto", preferences { $0.avifSubsampling = .auto }),
    ]

    @Test(arguments: parsed.indices) func `an option sets its encoder`(index: Int) throws {
        let (option, preferences) = Self.parsed[index]
        #expect(try Self.rendering(option).quality.encoders == preferences, "\(option)")
    }

    @Test(arguments: [
        ("jpgo:1:0:1", RequestError.Code.unsupportedOption), ("jpgo:::t", .unsupportedOption),
        ("jpgo:1:0:0:1", .unsupportedOption),
        ("jpgo:1:0:0:0:1", .unsupportedOption), ("jpgo:1:0:0:0:0:3", .unsupportedOption),
        ("jpgo:1:0:0:0:0:9", .invalidOption), ("jpgo:1:0:0:0:0:-1", .invalidOption),
        ("jpgo:1:0:0:0:0:0:0", .invalidOption), ("pngo:1:1:1", .invalidOption),
        ("pngo:1:1:0", .invalidOption), ("pngo:1:1:257", .invalidOption), ("pngo:1:1:-1", .invalidOption),
        ("pngo:1:1:99999999999999999999", .invalidOption), ("pngo:1:1:8:8", .invalidOption),
        ("pngo:1:1:NaN", .invalidOption), ("webpo:near_lossless", .unsupportedOption),
        ("webpo:best", .invalidOption), ("webpo::1", .unsupportedOption), ("webpo:::best", .invalidOption),
        ("webpo:::Photo", .invalidOption), ("avifo:yes", .invalidOption), ("avifo:on:off", .invalidOption),
        ("maf:0", .invalidOption), ("maf:-1", .invalidOption), ("maf:", .invalidOption),
        ("maf:1.5", .invalidOption), ("maf:9223372036854775808", .invalidOption),
        ("msr:1", .forbiddenOption), ("mafr:1", .forbiddenOption), ("eth:1", .unsupportedOption),
        ("dpi:72", .unsupportedOption),
    ])
    func `an argument that is out of range or needs another library is refused`(
        option: String,
        code: RequestError.Code
    ) {
        #expect(refusal { _ = try Self.rendering(option) } == code, "\(option)")
    }

    @Test(
        arguments: [
            ("maf:5", 5, FrameSelection.all), ("max_animation_frames:1000000000", 1_000_000_000, .all),
            ("maf:9223372036854775807", Int.max, .all), ("maf:1", nil, .first), ("maf:5/da:1", nil, .first),
            ("maf:1/maf:7", 7, .all), ("w:1", nil, .all),
        ] as [(String, Int?, FrameSelection)]
    )
    func `a number of frames is a limit, and one frame is a still`(
        option: String,
        count: Int?,
        frames: FrameSelection
    ) throws {
        let rendering = try Self.rendering(option)
        #expect(rendering.maxFrameCount == count && rendering.frames == frames)
    }

    @Test func `imagor's number of frames is that of imgproxy`() throws {
        func frames(_ filter: String) throws -> Rendering {
            try ThumborGrammar().rendering(of: "/unsafe/filters:\(filter)/src.test/photo.jpg")
        }
        #expect(try frames("max_frames(5)").maxFrameCount == 5)
        #expect(try frames("max_frames(1)") == frames("cover()"))
        for filter in ["max_frames(0)", "max_frames()", "max_frames(x)"] {
            #expect(refusal { _ = try frames(filter) } == .invalidOption, "\(filter)")
        }
    }

    @Test func `a URL cannot raise the service's number of frames`() throws {
        let limits = DecodeLimits(maxFrameCount: 100, truncatesAnimations: true)
        for (option, count) in [("maf:1000000000", 100), ("maf:7", 7), ("w:1", 100)] {
            let request = try Self.rendering(option).request(limits: limits)
            #expect(request.decoding.limits.maxFrameCount == count, "\(option)")
            #expect(request.decoding.limits.truncatesAnimations)
        }
        // The original is described and passed through with all frames of the service.
        #expect(try Self.rendering("maf:7").originalRequest(limits: limits).decoding.limits == limits)
    }

    @Test(arguments: [
        ("ph:1", "@png", true), ("ph:1", "@avif", true), ("ph:1", "@tiff", true), ("ph:1", "", true),
        ("ph:1", "@jpg", false), ("ph:1", "@webp", false), ("ph:0", "@png", false), ("w:1", "@png", false),
    ])
    func `more than 8 bits are kept in formats that have them`(option: String, end: String, keeps: Bool)
        throws
    {
        let rendering = try ImgproxyGrammar().rendering(of: "/unsafe/\(option)/\(examplePath)\(end)")
        #expect(try rendering.request().decoding.keepsDepth == keeps)
        var defaults = EncodingDefaults()
        defaults.keepsDepth = true
        let isDeep = end == "@png" || end == "@avif" || end == "@tiff" || end.isEmpty
        let wanted = option == "ph:0" ? false : isDeep
        #expect(try rendering.request(defaults: defaults).decoding.keepsDepth == wanted)
    }
}
