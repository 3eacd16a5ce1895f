import CalotypeCore
import CalotypeTesting
import CalotypeTransforms
import TestSupport
import Testing
import WorkerSupport

@Suite(.blocking, .inBothModes) struct ResizeTests {
    private static let box = PixelSize(width: 30, height: 20)
    private static let photograph = TestImages.photograph(PixelSize(width: 64, height: 48))

    @Test func `keys are pinned`() {
        let keys: [(TransformChain, String)] = [
            (.resize(toFit: Self.box), "fit=30x20,enlarges=no,kernel=lanczos3,light=automatic"),
            (
                .resize(toFill: Self.box, enlarges: true),
                "fill=30x20,enlarges=yes,kernel=lanczos3,light=automatic"
            ),
            (.resize(toWidth: 30, kernel: .linear), "width=30,enlarges=no,kernel=linear,light=automatic"),
            (
                .resize(toHeight: 20, light: .linear),
                "height=20,enlarges=no,kernel=lanczos3,light=linear"
            ),
            (.resize(to: Self.box, kernel: .nearest), "stretch=30x20,kernel=nearest,light=automatic"),
        ]
        for (chain, properties) in keys {
            #expect(chain.cacheIdentity == "resize-2(\(properties))")
        }
    }

    @Test func `every resize conforms to the transform rules, and keys distinguish all properties`() throws {
        let all: [TransformChain] = [
            .resize(toFit: Self.box),
            .resize(toFit: PixelSize(width: 31, height: 20)),
            .resize(toFit: PixelSize(width: 30, height: 21)),
            .resize(toFit: Self.box, enlarges: true),
            .resize(toFit: Self.box, kernel: .cubic),
            .resize(toFit: Self.box, light: .linear),
            .resize(toFit: Self.box, light: .encoded),
            .resize(toFill: Self.box),
            .resize(toWidth: 30),
            .resize(toHeight: 30),
            .resize(to: Self.box),
            .resize(to: Self.box, kernel: .nearest),
            .resize(to: Self.box, kernel: .linear),
            .resize(to: Self.box, light: .linear),
        ]
        for (index, one) in all.enumerated() {
            var others = all
            others.remove(at: index)
            try TransformConformance(one).run(changed: others)
        }
    }

    @Test func `nearest-pixel resizing is the same in linear light`() {
        let plain = TransformChain.resize(toWidth: 9, kernel: .nearest)
        #expect(plain == .resize(toWidth: 9, kernel: .nearest, light: .linear))
    }

    @Test(arguments: [
        (TransformChain.resize(toFit: PixelSize(width: 30, height: 30)), PixelSize(width: 30, height: 23)),
        (.resize(toFill: PixelSize(width: 30, height: 30)), PixelSize(width: 40, height: 30)),
        (.resize(toWidth: 10), PixelSize(width: 10, height: 8)),
        (.resize(toHeight: 10), PixelSize(width: 13, height: 10)),
        (.resize(to: PixelSize(width: 100, height: 5)), PixelSize(width: 100, height: 5)),
        (.resize(toFit: PixelSize(width: 1, height: 1)), PixelSize(width: 1, height: 1)),
    ])
    func `the determining side is exact, and the other is rounded`(chain: TransformChain, size: PixelSize)
        throws
    {
        #expect(try chain.tested.apply(to: Self.photograph).size == size)
    }

    @Test(arguments: [
        (TransformChain.resize(toFit: PixelSize(width: 100, height: 100), enlarges: true), (100, 75)),
        (.resize(toFill: PixelSize(width: 100, height: 100), enlarges: true), (133, 100)),
        (.resize(toFit: PixelSize(width: 100, height: 30), enlarges: true), (40, 30)),
        (.resize(toFill: PixelSize(width: 20, height: 100), enlarges: true), (133, 100)),
        (.resize(toFill: PixelSize(width: 10, height: 12), enlarges: true), (16, 12)),
        (.resize(toWidth: 65, enlarges: true), (65, 49)),
        (.resize(toHeight: 96, enlarges: true), (128, 96)),
    ])
    func `a smaller image is enlarged on request`(
        chain: TransformChain,
        size: (Int, Int)
    ) throws {
        let size = PixelSize(width: size.0, height: size.1)
        #expect(try chain.tested.apply(to: Self.photograph).size == size)
    }

    @Test(arguments: [
        TransformChain.resize(toFit: PixelSize(width: 100, height: 100)),
        .resize(toFill: PixelSize(width: 100, height: 100)),
        .resize(toWidth: 65),
        .resize(toHeight: .max),
        .resize(toFit: PixelSize(width: .max, height: .max)),
        .resize(to: PixelSize(width: 64, height: 48)),
    ])
    func `an image that has the size already is returned unchanged`(chain: TransformChain) throws {
        #expect(try chain.tested.apply(to: Self.photograph) === Self.photograph)
    }

    @Test(arguments: [
        TransformChain.resize(toFit: PixelSize(width: 0, height: 10)),
        .resize(toFill: PixelSize(width: 10, height: -1)),
        .resize(toWidth: 0),
        .resize(toHeight: .min),
        .resize(to: PixelSize(width: 0, height: 0)),
    ])
    func `an empty size is refused before work starts`(chain: TransformChain) {
        let error = #expect(throws: TransformError.self) { try chain.validate() }
        #expect(error?.code == .invalidParameter)
    }

    @Test(arguments: [
        TransformChain.resize(toFit: PixelSize(width: .max, height: .max), enlarges: true),
        .resize(toFill: PixelSize(width: .max, height: 1), enlarges: true),
        .resize(toWidth: .max, enlarges: true),
        .resize(toHeight: 20_000, enlarges: true),
        .resize(to: PixelSize(width: .max, height: .max)),
        .resize(to: PixelSize(width: 20_000, height: 20_000)),
        .resize(to: PixelSize(width: 1_000_001, height: 1)),
    ])
    func `a result over the limit is refused before pixels are allocated`(chain: TransformChain) {
        let error = #expect(throws: TransformError.self) { try chain.tested.apply(to: Self.photograph) }
        #expect(error?.code == .limitExceeded)
    }

    @Test(arguments: ResamplingKernel.allCases, ResamplingLight.allCases)
    func `images of the longest side are resized in both directions`(
        kernel: ResamplingKernel,
        light: ResamplingLight
    ) throws {
        let line = Image.drawn(20_000, 1, .gray8) { x, _ in .gray(x < 10_000 ? 40 : 200) }
        for size in [(1, 1), (1, 20_000), (2, 1), (20_000, 3), (19_999, 1)] {
            let size = PixelSize(width: size.0, height: size.1)
            let chain = TransformChain.resize(to: size, kernel: kernel, light: light)
            #expect(try chain.tested.apply(to: line).size == size)
        }
        let two = try TransformChain.resize(
            to: PixelSize(width: 2, height: 1),
            kernel: kernel,
            light: light
        ).tested.apply(to: line)
        // A wide kernel includes some of the other half.
        #expect(two.firstChannel[0] < 100 && two.firstChannel[1] > 160)
    }

    @Test func `any size is exact`() throws {
        var random = SeededGenerator(seed: 6)
        for _ in 0..<300 {
            func side() -> Int { Int.random(in: 1...Int.random(in: 1...400, using: &random), using: &random) }
            let image = Image.drawn(side(), side() % 40 + 1, .gray8) { x, y in .gray(x &+ y) }
            let size = PixelSize(width: side(), height: side())
            let kernel = ResamplingKernel.allCases.randomElement(using: &random) ?? .cubic
            let result = try TransformChain.resize(to: size, kernel: kernel).tested.apply(to: image)
            #expect(result.size == size, "\(image.size) by \(kernel)")
        }
    }
}
