import CalotypeCore
import CalotypeTransforms
import TestSupport
import Testing

@testable import CalotypeServer

@Suite(.gated) struct PlacementTests {
    @Test(arguments: [
        ("ce", 76), ("no", 76), ("so", 76), ("we", 0), ("nowe", 0), ("sowe", 0), ("ea", 150), ("noea", 150),
        ("soea", 150), ("fp:0.25:0.75", 0), ("no:10", 86), ("no:0.1", 121), ("no:1000", 150), ("no:-1000", 0),
    ])
    func `an area of 300 in 450 begins at imgproxy's offset`(gravity: String, left: Int) throws {
        var placement = Placement()
        let values = gravity.split(separator: ":")
        let option = OptionArguments(name: "g", values: values, limits: GrammarLimits())
        try placement.apply(option, allowsSmart: true)
        let part = PixelSize(width: 300, height: 300)
        #expect(placement.origin(of: part, in: PixelSize(width: 450, height: 300), scale: 1).x == left)
    }

    @Test func `offsets in pixels scale with the density, and fractions do not`() {
        let placement = Placement(anchor: .side(.top), offsetX: 10)
        let part = PixelSize(width: 600, height: 600)
        #expect(placement.origin(of: part, in: PixelSize(width: 900, height: 600), scale: 2).x == 170)
    }

    @Test func `an image is centred on a canvas with imgproxy's rounding`() {
        let part = PixelSize(width: 500, height: 333)
        let origin = Placement.center.origin(of: part, in: PixelSize(width: 500, height: 500), scale: 1)
        #expect(origin.y == 84 && origin.x == 0)
    }

    @Test func `a crop in pixels is cut at the edge beyond its offset`() {
        var layout = ImgproxyLayout()
        layout.area = .init(
            width: 400.9,
            height: 100.5,
            placement: Placement(anchor: .side(.topLeft), offsetX: 10, offsetY: 0.1)
        )
        let plan = ImgproxyPlan(layout, source: PixelSize(width: 1_200, height: 800))
        #expect(plan.cut == PixelSize(width: 400, height: 100))
        let origin = layout.area?.placement?.origin(
            of: plan.cut,
            in: PixelSize(width: 1_200, height: 800),
            scale: 1
        )
        #expect(origin?.x == 10 && origin?.y == 80)
    }
}

/// Every property of a layout is part of its key, and the spelling of keys is pinned.
@Suite(.gated) struct LayoutIdentityTests {
    private static let imgproxy: [ImgproxyLayout] = {
        let changes: [(inout ImgproxyLayout) -> Void] = [
            { $0.type = .fill }, { $0.width = 1 }, { $0.height = 1 }, { $0.minWidth = 1 },
            { $0.minHeight = 1 },
            { $0.zoomX = 2 }, { $0.zoomY = 2 }, { $0.dpr = 2 }, { $0.enlarges = true },
            { $0.canvas.isOn = true },
            { $0.canvas.placement.offsetX = 1 }, { $0.aspectCanvas.isOn = true },
            { $0.aspectCanvas.placement.offsetX = 1 }, { $0.placement.anchor = .smart },
            { $0.placement.anchor = .focus(x: 0, y: 1) }, { $0.placement.anchor = .focus(x: 1, y: 0) },
            { $0.placement.offsetX = 1 }, { $0.placement.offsetY = 1 },
            { $0.area = .init(width: 1, height: 2) }, { $0.area = .init(width: 2, height: 1) },
            { $0.area = .init(width: 1, height: 2, placement: .center) }, { $0.padding.top = 1 },
            { $0.padding.left = 1 }, { $0.padding.bottom = 1 }, { $0.padding.right = 1 },
            { $0.turn = .clockwise90 }, { $0.flipsHorizontally = true }, { $0.flipsVertically = true },
            { $0.blurSigma = 1 }, { $0.sharpenSigma = 1 }, { $0.effects.brightness = 1 },
            { $0.effects.contrast = 2 }, { $0.effects.saturation = 2 },
            { $0.effects.monochrome.intensity = 1 },
            { $0.effects.monochrome.color = .black }, { $0.effects.duotone.intensity = 1 },
            { $0.effects.duotone.color = .white }, { $0.effects.duotone.light = .black },
            { $0.effects.pixelSide = 2 }, { $0.effects.unsharpMask = .init() },
            { $0.effects.unsharpMask = .init(mode: .always) }, { $0.effects.unsharpMask = .init(weight: 2) },
            { $0.effects.unsharpMask = .init(divider: 2) }, { _ in },
        ]
        return changes.map { change in
            var layout = ImgproxyLayout()
            change(&layout)
            return layout
        }
    }()

    private static let thumbor: [ThumborLayout] = {
        let changes: [(inout ThumborLayout) -> Void] = [
            { $0.crop = PixelRect(x: 0, y: 1, width: 2, height: 3) }, { $0.fit = .init() },
            { $0.crop = PixelRect(x: 1, y: 0, width: 2, height: 3) }, { $0.fit = .init(isFull: true) },
            { $0.fit = .init(isAdaptive: true) }, { $0.width = .original }, { $0.width = .pixels(1) },
            { $0.height = .original }, { $0.height = .pixels(1) }, { $0.flipsHorizontally = true },
            { $0.flipsVertically = true }, { $0.alignmentX = 0 }, { $0.alignmentY = 0 },
            { $0.isSmart = true },
            { $0.stretches = true }, { $0.avoidsUpscaling = true }, { $0.upscales = true },
            { $0.steps = [.turn(.clockwise90)] }, { $0.steps = [.proportion(0.5)] },
            { $0.steps = [.fill(.white)] }, { $0.steps = [.transform(.grayscale)] },
            { $0.steps = [.turn(.clockwise90), .fill(.white)] },
            { $0.steps = [.backdrop(.averageColor, fillsTransparency: false)] },
            { $0.steps = [.backdrop(.averageColor, fillsTransparency: true)] },
            { $0.steps = [.backdrop(.blurred(sigma: 50), fillsTransparency: false)] },
            { $0.steps = [.backdrop(.blurred(sigma: 50), fillsTransparency: true)] },
            { $0.focalAreas = [PixelRect(x: 0, y: 1, width: 2, height: 3)] },
            { $0.focalAreas = [PixelRect(x: 1, y: 0, width: 2, height: 3)] },
            { $0.steps = [.fill(.white), .turn(.clockwise90)] }, { _ in },
        ]
        return changes.map { change in
            var layout = ThumborLayout()
            change(&layout)
            return layout
        }
    }()

    @Test func `each property changes the key`() {
        #expect(Set(Self.imgproxy.map(\.cacheIdentity)).count == Self.imgproxy.count)
        #expect(Set(Self.thumbor.map(\.cacheIdentity)).count == Self.thumbor.count)
    }

    @Test func `keys have their pinned spelling`() {
        var layout = ImgproxyLayout()
        (layout.width, layout.type) = (300, .fill)
        #expect(
            layout.cacheIdentity
                == "imgproxy-2(fill,300x0,min=0x0,zoom=1.0:1.0,dpr=1.0,enlarge=0,extend=0:center:0.0:0.0,"
                + "extendAspect=0:center:0.0:0.0,gravity=center:0.0:0.0,crop=,pad=0:0:0:0,turn=0:0:0,"
                + "blur=0.0,sharpen=0.0)"
        )
        var other = ThumborLayout()
        (other.width, other.fit) = (.pixels(300), .init())
        #expect(
            other.cacheIdentity == "thumbor-2(crop=,fit=00,size=300x0,align=0.5:0.5,flags=000000,steps=)"
        )
    }
}
