import CalotypeCore
import CalotypeTesting
import CalotypeTransforms
import TestSupport
import Testing

@testable import CalotypeCLI

/// The Swift transform of each step.
@Suite(.gated) struct StepTableTests {
    private let logo = TestImages.photograph(PixelSize(width: 4, height: 3))

    private func chain(_ text: String) throws -> TransformChain {
        switch try TransformGrammar.parse(text) {
        case .chain(let chain): chain
        case .withPicture(_, let make): make(logo)
        }
    }

    @Test(
        arguments: [
            ("resize:fit=400x300", .resize(toFit: PixelSize(width: 400, height: 300))),
            ("resize:fill=4x3,enlarge=yes", .resize(toFill: PixelSize(width: 4, height: 3), enlarges: true)),
            ("resize:width=7,kernel=cubic", .resize(toWidth: 7, kernel: .cubic)),
            ("resize:height=7,light=linear,enlarge=no", .resize(toHeight: 7, light: .linear)),
            ("resize:width=7,light=encoded", .resize(toWidth: 7, light: .encoded)),
            ("resize:to=4x3,light=automatic", .resize(to: PixelSize(width: 4, height: 3))),
            ("resize:to=4x3,kernel=nearest", .resize(to: PixelSize(width: 4, height: 3), kernel: .nearest)),
            ("crop:rect=10,20,200,100", .crop(to: PixelRect(x: 10, y: 20, width: 200, height: 100))),
            ("crop:rect=-1,-2,3,4", .crop(to: PixelRect(x: -1, y: -2, width: 3, height: 4))),
            ("crop:size=4x3", .crop(to: PixelSize(width: 4, height: 3))),
            ("crop:size=4x3,gravity=topLeft", .crop(to: PixelSize(width: 4, height: 3), gravity: .topLeft)),
            ("crop:ratio=16:9", .crop(toAspectRatio: 16.0 / 9)),
            ("crop:gravity=right,ratio=1.5", .crop(toAspectRatio: 1.5, gravity: .right)),
            ("smartcrop:4x3", .smartCrop(to: PixelSize(width: 4, height: 3))),
            ("trim", .trim()), ("trim:color=white,tolerance=3", .trim(color: .white, tolerance: 3)),
            ("pad:to=9x8", .pad(to: PixelSize(width: 9, height: 8))),
            (
                "pad:to=9x8,gravity=bottom,color=#fff",
                .pad(to: PixelSize(width: 9, height: 8), gravity: .bottom, color: .white)
            ),
            ("pad:by=5,color=black", .pad(by: PixelInsets(all: 5), color: .black)),
            ("pad:by=1,2,3,4", .pad(by: PixelInsets(top: 1, left: 4, bottom: 3, right: 2))),
            ("flip:horizontal", .flip(.horizontal)), ("flip:vertical", .flip(.vertical)),
            ("rotate:90", .rotate(.clockwise90)), ("rotate:180", .rotate(.clockwise180)),
            ("rotate:-90", .rotate(.clockwise270)), ("rotate:12.5", .rotate(byDegrees: 12.5)),
            ("rotate:30,background=white", .rotate(byDegrees: 30, background: .white)),
        ] as [(String, TransformChain)]
    )
    func `a step of geometry parses`(text: String, expected: TransformChain) throws {
        #expect(try chain(text) == expected)
    }

    @Test(
        arguments: [
            ("adjust:brightness=0.1,contrast=2", .adjust(brightness: 0.1, contrast: 2)),
            ("adjust:saturation=0,gamma=2.2,hue=-90", .adjust(saturation: 0, gamma: 2.2, hueDegrees: -90)),
            ("grayscale", .grayscale), ("sepia", .sepia()), ("sepia:intensity=0.5", .sepia(intensity: 0.5)),
            ("invert", .invert), ("flatten", .flatten()), ("flatten:color=black", .flatten(onto: .black)),
            ("tint:color=white", .tint(.white)),
            ("tint:color=clear,blend=multiply", .tint(.clear, blend: .multiply)),
            ("blur:sigma=3", .blur(sigma: 3)), ("sharpen", .sharpen()),
            ("sharpen:amount=2,sigma=3", .sharpen(sigma: 3, amount: 2)),
            ("sharpen:luminance=yes", .sharpen(onlyLuminance: true)), ("pixelate:side=9", .pixelate(side: 9)),
            ("noise:amount=9", .noise(amount: 9)), ("noise:amount=9,seed=7", .noise(amount: 9, seed: 7)),
            ("equalize", .equalize), ("monochrome", .monochrome()), ("duotone", .duotone()),
            ("monochrome:color=white,intensity=0.5", .monochrome(intensity: 0.5, color: .white)),
            ("duotone:dark=white,light=black", .duotone(dark: .white, light: .black)),
            ("gradient:color=black", .gradient(.black)),
            (
                "gradient:color=white,degrees=90,from=0.25,to=0.75",
                .gradient(.white, degrees: 90, from: 0.25, to: 0.75)
            ),
        ] as [(String, TransformChain)]
    )
    func `a step of colour or sharpness parses`(text: String, expected: TransformChain) throws {
        #expect(try chain(text) == expected)
    }

    @Test(
        arguments: [
            ("round:radius=20", .roundCorners(radius: 20)),
            (
                "round:topLeft=1,topRight=2,bottomRight=3,bottomLeft=4",
                .roundCorners(CornerRadii(topLeft: 1, topRight: 2, bottomRight: 3, bottomLeft: 4))
            ),
            ("round:radius=9,border=2", .roundCorners(radius: 9, border: Stroke(width: 2, color: .black))),
            (
                "round:bottomLeft=9,border=2,color=white",
                .roundCorners(CornerRadii(bottomLeft: 9), border: Stroke(width: 2, color: .white))
            ),
            ("circle", .circle()),
            ("circle:border=1.5,color=white", .circle(border: Stroke(width: 1.5, color: .white))),
            ("border:width=3", .border(width: 3, color: .black)),
            ("border:width=3,color=white", .border(width: 3, color: .white)),
        ] as [(String, TransformChain)]
    )
    func `a step of shapes parses`(text: String, expected: TransformChain) throws {
        #expect(try chain(text) == expected)
    }

    @Test func `an overlay accepts all of its parameters`() throws {
        #expect(try chain("overlay:file=a.png") == .overlay(logo))
        let all = "overlay:file=a.png,gravity=top,margin=5,opacity=0.5,tiled=yes,spacing=7,blend=screen"
        let expected = TransformChain.overlay(
            logo,
            gravity: .top,
            margin: 5,
            opacity: 0.5,
            isTiled: true,
            spacing: 7,
            blend: .screen
        )
        #expect(try chain(all) == expected)
    }

    @Test(arguments: [
        ("overlay:file=/a, b/c=d.png,margin=1", "/a, b/c=d.png"),
        ("overlay:margin=1,file=a,b.png", "a,b.png"),
        ("overlay:file=a:b.png", "a:b.png"),
    ])
    func `a path may have commas, colons and equals signs`(text: String, path: String) throws {
        guard case .withPicture(path, _) = try TransformGrammar.parse(text) else {
            Issue.record("another path, or none")
            return
        }
    }

    @Test(
        arguments: [
            ("resize", .missingValue), ("resize:enlarge=yes", .missingValue),
            ("resize:fit=4x3,fill=4x3", .repeatedKey), ("resize:fit=4", .invalidValue),
            ("resize:width=1.5", .invalidValue), ("resize:fit=4x3,kernel=lanczos", .invalidValue),
            ("resize:fit=4x3,light=dark", .invalidValue), ("resize:to=4x3,enlarge=yes", .unknownKey),
            ("resize:400x300", .unknownKey), ("crop", .missingValue), ("crop:rect=1,2,3", .invalidValue),
            ("crop:rect=1,2,3,4,gravity=top", .unknownKey), ("crop:size=1x1,ratio=1", .repeatedKey),
            ("crop:size=1x1,gravity=top-left", .invalidValue), ("smartcrop", .missingValue),
            ("smartcrop:size=4x3", .unknownKey), ("trim:tolerance=a", .invalidValue), ("pad", .missingValue),
            ("pad:by=1,2", .invalidValue), ("pad:by=1,gravity=top", .unknownKey), ("flip", .missingValue),
            ("flip:sideways", .invalidValue), ("flip:horizontal,x=1", .unknownKey),
            ("rotate:right", .invalidValue),
            ("rotate:90,90", .invalidValue), ("grayscale:1", .unknownKey), ("invert:x=1", .unknownKey),
            ("adjust", .missingValue), ("tint", .missingValue), ("tint:color=orange", .invalidValue),
            ("pixelate", .missingValue), ("pixelate:side=1.5", .invalidValue), ("noise", .missingValue),
            ("noise:amount=9,seed=x", .invalidValue), ("gradient", .missingValue),
            ("equalize:1", .unknownKey),
            ("duotone:dark=clear", .invalidValue), ("sharpen:luminance=maybe", .invalidValue),
            ("tint:color=f80,blend=normal", .invalidValue), ("flatten:color=clear", .invalidValue),
            ("round", .missingValue), ("round:border=3", .missingValue),
            ("round:radius=3,topLeft=3", .unknownKey), ("round:radius=3,color=white", .unknownKey),
            ("circle:color=white", .unknownKey), ("border", .missingValue), ("overlay", .missingValue),
            ("overlay:file=", .missingValue), ("overlay:file=a,spacing=3", .unknownKey),
            ("overlay:file=a,tiled=true", .invalidValue), ("overlay:file=a,margin=x", .invalidValue),
        ] as [(String, StepError.Code)]
    )
    func `an invalid step is rejected`(text: String, code: StepError.Code) {
        let error = #expect(throws: StepError.self) { try TransformGrammar.parse(text) }
        #expect(error?.code == code, "\(error?.detail ?? "")")
    }

    @Test(arguments: [
        "resize:fit=0x3", "resize:width=-1", "crop:rect=0,0,0,1", "crop:size=-1x1",
        "crop:ratio=0", "crop:ratio=-1:2", "smartcrop:0x0", "trim:tolerance=256", "pad:by=-1", "pad:to=0x0",
        "sepia:intensity=2", "adjust:contrast=-1", "adjust:gamma=0", "sharpen:sigma=0", "round:radius=-1",
        "pixelate:side=0", "noise:amount=256", "noise:amount=-1", "monochrome:intensity=2",
        "duotone:intensity=-1", "gradient:color=white,from=2", "circle:border=0", "border:width=-3",
        "overlay:file=none.png,opacity=2",
        "overlay:file=none.png,margin=-1",
    ])
    func `an invalid value is rejected before a file is read`(text: String) {
        let error = #expect(throws: TransformError.self) { try TransformGrammar.parse(text) }
        #expect(error?.code == .invalidParameter)
    }
}
