import CalotypeCore
import CalotypeServer
import CalotypeTesting
import CalotypeTransforms
import TestSupport
import Testing

/// imgproxy's effects: each is a chain of transforms, in an order that URLs do not change.
@Suite(.blocking) struct ImgproxyEffectTests {
    private static let image = TestImages.photograph(PixelSize(width: 60, height: 40), format: .rgba8)
    private static let red = RGBColor(red: 255, green: 0, blue: 0)
    private static let paper = RGBColor(red: 16, green: 32, blue: 48)

    private static func result(_ options: String, of image: Image = image) throws -> Image {
        let rendering = try ImgproxyGrammar().rendering(of: "/unsafe/\(options)/\(examplePath)")
        return try rendering.transforms.apply(to: image)
    }

    private static func mask(_ side: Double, _ middle: Double) -> TransformChain {
        let edge = [side, side, side]
        return .convolve(ConvolutionKernel(rows: [edge, [side, middle, side], edge]))
    }

    @Test(
        arguments: [
            ("br:51", .adjust(brightness: 0.2)), ("brightness:-255", .adjust(brightness: -1)),
            ("co:1.5", .adjust(contrast: 1.5)), ("contrast:.5", .adjust(contrast: 0.5)),
            ("sa:2", .adjust(saturation: 2)), ("saturation:1e-9", .adjust(saturation: 1e-9)),
            ("sh:0.5", .sharpenLightness(sigma: 0.5)), ("sharpen:200", .sharpenLightness(sigma: 10)),
            ("a:51:1.5:0.5", .adjust(brightness: 0.2, contrast: 1.5, saturation: 0.5)),
            ("adjust::1.5", .adjust(contrast: 1.5)), ("a:51::2", .adjust(brightness: 0.2, saturation: 2)),
            ("mc:1", .monochrome()), ("monochrome:0.5:f00", .monochrome(intensity: 0.5, color: red)),
            ("dt:1", .duotone()), ("dt:0.5:102030:f00", .duotone(intensity: 0.5, dark: paper, light: red)),
            ("duotone:1::f00", .duotone(light: red)), ("pix:8", .pixelate(side: 8)),
            ("pixelate:100000", .pixelate(side: 100_000)), ("ush:always", mask(-1 / 24.0, 1 + 8 / 24.0)),
            ("unsharp_masking:always:2:10", mask(-0.2, 2.6)), ("ush:always::8", mask(-0.125, 2)),
            ("col:0.5:f00", .tint(RGBAColor(red: 255, green: 0, blue: 0, alpha: 128), blend: .sourceOver)),
            ("colorize:1:f00:1", .tint(RGBAColor(red), blend: .sourceAtop)),
            ("col:1", .tint(.black, blend: .sourceOver)),
            ("gr:1", .gradient(.black)), ("gradient:1:f00:up", .gradient(RGBAColor(red), degrees: 180)),
            (
                "gr:0.5:fff:left:0.2:0.8",
                .gradient(
                    RGBAColor(red: 255, green: 255, blue: 255, alpha: 128),
                    degrees: 90,
                    from: 0.2,
                    to: 0.8
                )
            ),
            ("gr:1:000:right", .gradient(.black, degrees: 270)),
            ("gr:1::-45", .gradient(.black, degrees: 315)),
            ("gr:1:000:down:0.5", .gradient(.black, from: 0.5)),
            (
                "bg:f00/bga:0.5",
                .tint(RGBAColor(red: 255, green: 0, blue: 0, alpha: 128), blend: .destinationOver)
            ),
            ("bg:f00/background_alpha:1", .flatten(onto: red)),
        ] as [(String, TransformChain)]
    )
    func `an effect is its transform`(options: String, expected: TransformChain) throws {
        #expect(try Self.result(options).rgba8() == expected.apply(to: Self.image).rgba8())
    }

    @Test(arguments: [
        "br:0", "co:1", "sa:1", "a::1:1", "a:0", "mc:0", "mc:0:f00", "mc::f00", "dt:0", "pix:0", "pix:1",
        "col:0",
        "col:0:f00:1", "gr:0", "gr:0:f00:up", "ush:none", "ush:auto", "ush:", "ush::2:3", "bga:0.5",
        "bg:f00/bga:0",
    ])
    func `a neutral value changes no pixel`(options: String) throws {
        #expect(try Self.result(options).rgba8() == Self.image.rgba8())
    }

    @Test func `the order of options changes nothing: colours, blur, sharpen, blocks, background, overlays`()
        throws
    {
        let expected = TransformChain.adjust(brightness: 0.2, contrast: 2)
            .appending(.monochrome(intensity: 0.5)).appending(.duotone(intensity: 0.5, dark: Self.paper))
            .appending(.blur(sigma: 2)).appending(.sharpenLightness(sigma: 1)).appending(.pixelate(side: 3))
            .appending(.pad(by: PixelInsets(all: 4))).appending(.flatten(onto: Self.red))
            .appending(.tint(RGBAColor(red: 16, green: 32, blue: 48, alpha: 128), blend: .sourceOver))
            .appending(.gradient(.black))
        let options = [
            "gr:1", "col:0.5:102030", "bg:f00", "pd:4", "pix:3", "sh:1", "bl:2", "dt:0.5:102030", "mc:0.5",
            "co:2",
            "br:51",
        ]
        for order in [options, options.reversed()] {
            let result = try Self.result(order.joined(separator: "/"))
            #expect(try result.rgba8() == expected.apply(to: Self.image).rgba8())
        }
    }

    @Test func `the automatic unsharp mask is for reduced images that are not sharpened`() throws {
        let mask = Self.mask(-1 / 24.0, 1 + 8 / 24.0)
        let reduced = try Self.result("w:30")
        #expect(try Self.result("w:30/ush:auto").rgba8() == mask.apply(to: reduced).rgba8())
        #expect(try Self.result("w:30/ush:").rgba8() == mask.apply(to: reduced).rgba8())
        for others in ["w:30/sh:1", "el:1/w:90", "c:20:20"] {
            #expect(try Self.result("\(others)/ush:auto").rgba8() == Self.result(others).rgba8())
            #expect(try Self.result("\(others)/ush:always").rgba8() != Self.result(others).rgba8())
        }
        #expect(try Self.result("w:30/ush:none").rgba8() == reduced.rgba8())
    }

    @Test func `colorize covers transparent pixels unless their alpha is kept`() throws {
        let clear = TestImages.disc(PixelSize(width: 20, height: 20), color: .white)
        let covered = try Self.result("col:1:f00", of: clear)
        #expect(covered.color(atX: 0, y: 0) == RGBAColor(Self.red))
        let kept = try Self.result("col:1:f00:t", of: clear)
        #expect(kept.color(atX: 0, y: 0)?.alpha == 0 && kept.color(atX: 10, y: 10) == RGBAColor(Self.red))
    }

    @Test func `overlays cover padding, and a translucent background lies below the image`() throws {
        let opaque = TestImages.photograph(PixelSize(width: 20, height: 20))
        let padded = try Self.result("pd:5/bg:fff/gr:1:f00:up:0:0.01", of: opaque)
        #expect(padded.color(atX: 0, y: 0) == RGBAColor(Self.red))
        let translucent = try Self.result("pd:5/bg:f00/bga:0.5", of: opaque)
        #expect(translucent.color(atX: 0, y: 0) == RGBAColor(red: 255, green: 0, blue: 0, alpha: 128))
        #expect(translucent.color(atX: 10, y: 10) == opaque.color(atX: 5, y: 5))
    }

    @Test func `repeated options change the given arguments only`() throws {
        let pairs = [
            ("mc:0.5:f00/mc:1", "mc:1:f00"), ("dt:1:f00:0f0/dt::00f", "dt:1:00f:0f0"), ("br:5/a:7", "br:7"),
            ("a:7:2/co:3", "a:7:3"), ("ush:always:2/ush::3", "ush:always:3"), ("pix:9/pix:1", "pix:0"),
            ("col:1:f00:1/col:0.5", "col:0.5:f00:1"), ("gr:1:f00:up/gr:1::down", "gr:1:f00:0"),
            ("gr:1:f00:450", "gr:1:f00:left"), ("bga:0.5/bga:1/bg:f00", "bg:f00"),
        ]
        for (left, right) in pairs {
            let both = try [left, right].map {
                try ImgproxyGrammar().rendering(of: "/unsafe/\($0)/\(examplePath)")
            }
            #expect(both[0] == both[1], "\(left)")
        }
    }

    @Test(arguments: [
        "br:256", "br:-256", "br:1.5", "br:", "br:1:2", "co:0", "co:-1", "co:100.1", "co:", "co:nan", "sa:0",
        "sa:1e309", "a:1:2:3:4", "a:300", "a:1:0", "mc:1.1", "mc:-0.1", "mc:1:red", "mc:1:f00:1", "dt:2",
        "dt:1:#fff", "dt:1:fff:0000", "dt:1:f:f:f", "pix:-1", "pix:1.5", "pix:100001", "pix:", "ush:maybe",
        "ush:always:0", "ush:always:101", "ush:always:1:0", "ush:always:1:0.01", "ush:a:b:c:d", "col:2",
        "col:1:12345", "col:1:f00:1:1", "gr:1.1", "gr:1:f00:north", "gr:1:f00:3601", "gr:1:f00:down:-0.1",
        "gr:1:f00:down:0:1.1", "gr:1:f00:down:0:1:1", "bga:1.1", "bga:-0.1", "bga:", "bga:1:1",
    ])
    func `an argument out of range is refused by the option's name`(option: String) {
        do throws(RequestError) {
            _ = try ImgproxyGrammar().rendering(of: "/unsafe/\(option)/\(examplePath)")
            Issue.record("\(option) was accepted")
        } catch {
            #expect(error.code == .invalidOption && error.option.map(option.hasPrefix) == true)
        }
    }

    @Test func `each value has its own key`() throws {
        let options = [
            "br:1", "br:2", "co:2", "co:3", "sa:2", "sa:3", "mc:1", "mc:0.5", "mc:1:f00", "dt:1", "dt:0.5",
            "dt:1:f00", "dt:1:000:f00", "pix:2", "pix:3", "ush:auto", "ush:always", "ush:auto:2",
            "ush:auto:1:2",
            "col:1", "col:0.5", "col:1:f00", "col:1:000:1", "gr:1", "gr:0.5", "gr:1:f00", "gr:1:000:up",
            "gr:1:000:0:0.5", "gr:1:000:0:0:0.5", "bg:f00", "bg:f00/bga:0.5", "bg:f00/bga:0.6",
        ]
        let keys = try options.map {
            try ImgproxyGrammar().rendering(of: "/unsafe/\($0)/\(examplePath)").transforms.cacheIdentity
        }
        #expect(Set(keys).count == options.count)
    }

    @Test func `steps are explained`() throws {
        let target = "/unsafe/br:51/mc:1:f00/ush:always/pix:8/col:0.5:f00/gr:1/\(examplePath)"
        let steps = try ImgproxyGrammar().rendering(of: target).stepSummaries.joined(separator: "; ")
        for words in [
            "adjust brightness 0.2", "monochrome", "unsharp mask always", "pixelate side 8", "tint",
            "gradient",
        ] {
            #expect(steps.contains(words), "\(words): \(steps)")
        }
    }
}
