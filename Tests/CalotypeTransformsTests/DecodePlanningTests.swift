import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing
import WorkerSupport

@testable import CalotypeTransforms

@Suite(.blocking, .inBothModes) struct DecodePlanningTests {
    private static let size = PixelSize(width: 4000, height: 3000)
    private static let box = PixelSize(width: 400, height: 300)
    private static let part = PixelRect(x: 500, y: 0, width: 3000, height: 3000)

    private static let targets: [(TransformChain, DecodeOptions.Target)] = [
        (.resize(toFit: box), .fit(PixelBox(box))),
        (.resize(toFill: box), .fill(PixelBox(box))),
        (.resize(toWidth: 400), .fit(PixelBox(width: 400))),
        (.resize(toHeight: 400), .fit(PixelBox(height: 400))),
        (.resize(toFit: box, enlarges: true), .fit(PixelBox(box))),
        (.resize(to: PixelSize(width: 100, height: 300)), .fill(PixelBox(width: 100, height: 300))),
        ([.resize(toFit: box), .blur(sigma: 2)], .fit(PixelBox(box))),
    ]

    @Test func `a leading resize is planned as a small decode`() throws {
        for (chain, target) in Self.targets {
            #expect(try chain.decodePlan(for: Self.size).target == target)
            #expect(chain.decodeGeometry == TransformChain(steps: [chain.steps[0]]))
        }
    }

    @Test(arguments: [
        TransformChain.crop(to: part), .crop(to: part.size), .crop(toAspectRatio: 1),
        .smartCrop(to: part.size),
        [.crop(toAspectRatio: 1.2), .crop(toAspectRatio: 1)],
        [.rotate(.clockwise90), .crop(toAspectRatio: 1), .flip(.vertical)],
    ])
    func `a crop before the resize does not decode all pixels`(crop: TransformChain) throws {
        let chain: TransformChain = [
            crop, .resize(toFit: PixelSize(width: 400, height: 400)), .blur(sigma: 1),
        ]
        let decoded = try chain.decodePlan(for: Self.size).target.resultSize(for: Self.size)
        #expect(decoded.height >= 800 && decoded.height <= 810)
        #expect(chain.decodeGeometry.steps.count == chain.steps.count - 1)
    }

    @Test(arguments: [
        TransformChain(), .blur(sigma: 1), .crop(to: part), [.trim(), .resize(toFit: box)],
        [.blur(sigma: 1), .resize(toFit: box)], .resize(toFit: box, kernel: .cubic),
        [.crop(to: part), .resize(toFit: box, kernel: .nearest)],
        [.rotate(byDegrees: 5), .resize(toFit: box)], [.pad(to: box), .resize(toFit: box)],
    ])
    func `other chains decode everything`(chain: TransformChain) throws {
        let plan = try chain.decodePlan(for: Self.size)
        #expect(plan.target == .full)
        #expect(chain.decodeGeometry.isEmpty)
        #expect(try plan.transforms(forDecoded: Self.size) == chain)
    }

    @Test(arguments: [
        TransformChain.resize(toFit: PixelSize(width: 9000, height: 9000)),
        .resize(toFill: PixelSize(width: 100, height: 3000), enlarges: true),
        .resize(to: PixelSize(width: 5000, height: 10)),
        [.crop(to: part), .resize(toWidth: 1200)],
        [.crop(to: PixelRect(x: 0, y: 0, width: 200, height: 200)), .resize(toWidth: 100)],
    ])
    func `a decode that would save little is full`(chain: TransformChain) throws {
        #expect(try chain.decodePlan(for: Self.size).target == .full)
    }

    @Test func `an invalid chain is refused before decoding`() {
        let outside = PixelRect(x: 4000, y: 0, width: 10, height: 10)
        let bad: [(TransformChain, TransformError.Code)] = [
            ([.crop(to: outside), .resize(toFit: Self.box)], .emptyResult),
            (.resize(toWidth: .max, enlarges: true), .limitExceeded),
            ([.crop(to: Self.part), .resize(toFit: PixelSize(width: 0, height: 1))], .invalidParameter),
        ]
        for (chain, code) in bad {
            let error = #expect(throws: TransformError.self) { try chain.decodePlan(for: Self.size) }
            #expect(error?.code == code)
        }
    }

    // MARK: - Results

    private static let source = TestImages.photograph(PixelSize(width: 1200, height: 900))
    private static let file = Result { try JPEGEncoder(quality: 95).encode(source) }

    @Test(arguments: [
        TransformChain.resize(toFit: PixelSize(width: 300, height: 300)),
        .resize(toFill: PixelSize(width: 300, height: 300)),
        .resize(toWidth: 501),
        .resize(toHeight: 77),
        .resize(to: PixelSize(width: 200, height: 300)),
        [.crop(to: PixelRect(x: 301, y: 97, width: 777, height: 555)), .resize(toWidth: 230)],
        [
            .crop(to: PixelRect(x: 301, y: 97, width: 777, height: 555)),
            .resize(toFit: PixelSize(width: 99, height: 99)),
        ],
        [.crop(to: PixelSize(width: 800, height: 800), gravity: .bottomRight), .resize(toWidth: 200)],
        [.crop(toAspectRatio: 1), .resize(toFill: PixelSize(width: 150, height: 100))],
        [
            .crop(toAspectRatio: 2, gravity: .top), .crop(toAspectRatio: 1),
            .resize(to: PixelSize(width: 50, height: 60)),
        ],
        [.smartCrop(to: PixelSize(width: 600, height: 900)), .resize(toWidth: 100), .flip(.horizontal)],
        [.rotate(.clockwise90), .crop(toAspectRatio: 1, gravity: .top), .resize(toWidth: 128)],
        [.flip(.vertical), .resize(toWidth: 200)],
    ])
    func `a planned decode gives nearly the same image`(chain: TransformChain) throws {
        let file = try Self.file.get()
        let plan = try chain.decodePlan(for: Self.source.size)
        #expect(plan.target != .full)
        let whole = try chain.tested.apply(to: try CodecRegistry.standard.decode(file))
        let small = try CodecRegistry.standard.decode(file, options: plan.options(DecodeOptions()))
        #expect(small.size.pixelCount * 2 < Self.source.size.pixelCount)
        let planned = try plan.transforms(forDecoded: small.size).tested.apply(to: small)
        #expect(planned.size == whole.size)
        #expect(planned.difference(from: whole).mean < 2)
    }

    @Test func `a stretch to the rounded proportions is completed by the decode`() throws {
        for (source, width, height) in [((1800, 1200), 400, 267), ((4288, 2848), 401, 266), ((9, 7), 4, 3)] {
            let size = PixelSize(width: source.0, height: source.1)
            let result = PixelSize(width: width, height: height)
            let plan = try TransformChain.resize(to: result).decodePlan(for: size)
            #expect(plan.target.resultSize(for: size) == result)
        }
    }

    @Test(arguments: ResamplingLight.allCases)
    func `a planned decode mixes the values that the resize mixes`(light: ResamplingLight) throws {
        let file = try Self.file.get()
        let part = PixelRect(x: 301, y: 97, width: 777, height: 555)
        for chain: TransformChain in [
            .resize(toWidth: 300, light: light), [.crop(to: part), .resize(toWidth: 130, light: light)],
        ] {
            let plan = try chain.decodePlan(for: Self.source.size)
            let stated = plan.options(DecodeOptions(light: .encoded))
            #expect(stated.target != .full)
            #expect(stated.light == (light == .automatic ? .encoded : light))
            let small = try CodecRegistry.standard.decode(file, options: plan.options(DecodeOptions()))
            let planned = try plan.transforms(forDecoded: small.size).tested.apply(to: small)
            let whole = try chain.tested.apply(to: try CodecRegistry.standard.decode(file))
            #expect(planned.size == whole.size)
            #expect(planned.difference(from: whole).mean < 2)
        }
    }

    @Test func `a resize completed by the decode costs nothing`() throws {
        let chain = TransformChain.resize(toFit: PixelSize(width: 301, height: 77))
        let plan = try chain.decodePlan(for: Self.source.size)
        let decoded = Image.drawn(103, 77, .gray8) { x, y in .gray(x ^ y) }
        #expect(plan.target.resultSize(for: Self.source.size) == decoded.size)
        #expect(try plan.transforms(forDecoded: decoded.size).tested.apply(to: decoded) === decoded)
    }

    @Test func `sizes match those of a full decode for any crops and resizes`() throws {
        var random = SeededGenerator(seed: 66)
        let large = Image.drawn(400, 400, .gray8) { x, y in .gray(x &* 3 ^ y &* 5) }
        var plannedCount = 0
        for _ in 0..<400 {
            let sides = PixelRect(
                x: 0,
                y: 0,
                width: .random(in: 1...400, using: &random),
                height: .random(in: 1...400, using: &random)
            )
            let image = try TransformChain.crop(to: sides).tested.apply(to: large)
            let chain = Self.chain(for: image.size, &random)
            guard let whole = try Self.result(of: chain, image) else { continue }
            let plan = try chain.decodePlan(for: image.size)
            let decoded = try Resampler.resize(image, to: plan.target.resultSize(for: image.size))
            let transforms = try plan.transforms(forDecoded: decoded.size)
            #expect(try transforms.tested.apply(to: decoded).size == whole.size, "\(chain) of \(image.size)")
            guard plan.target != .full else { continue }
            plannedCount += 1
            let leading = TransformChain(steps: Array(transforms.steps.dropLast()))
            guard !leading.isEmpty else { continue }
            let left = try leading.tested.apply(to: decoded).size
            #expect(left.width >= 2 * whole.size.width && left.height >= 2 * whole.size.height)
        }
        #expect(plannedCount > 100)
    }

    @Test func `a decode of any other size gives the same final size`() throws {
        var random = SeededGenerator(seed: 77)
        let image = Image.drawn(300, 200, .gray8) { x, y in .gray(x &* 3 ^ y &* 5) }
        for _ in 0..<100 {
            let chain = Self.chain(for: image.size, &random)
            guard let whole = try Self.result(of: chain, image) else { continue }
            let size = PixelSize(
                width: .random(in: 1...300, using: &random),
                height: .random(in: 1...200, using: &random)
            )
            let decoded = try Resampler.resize(image, to: size)
            let transforms = try chain.decodePlan(for: image.size).transforms(forDecoded: size)
            #expect(try transforms.tested.apply(to: decoded).size == whole.size)
        }
    }

    /// The result, or `nil` if a crop leaves no pixels.
    private static func result(of chain: TransformChain, _ image: Image) throws -> Image? {
        do {
            return try chain.tested.apply(to: image)
        } catch let error as TransformError where error.code == .emptyResult {
            #expect(throws: error) { try chain.decodePlan(for: image.size) }
            return nil
        }
    }

    /// Up to three crops and turns, followed by a resize.
    private static func chain(for size: PixelSize, _ random: inout SeededGenerator) -> TransformChain {
        func side(_ most: Int) -> Int { Int.random(in: 1...max(1, most), using: &random) }
        let leading = (0..<Int.random(in: 0...3, using: &random)).map { _ -> TransformChain in
            let gravity = Gravity.allCases.randomElement(using: &random) ?? .center
            let part = PixelSize(width: side(size.width * 2), height: side(size.height * 2))
            return switch Int.random(in: 0..<6, using: &random) {
            case 0:
                .crop(
                    to: PixelRect(x: side(30) - 15, y: side(30) - 15, width: part.width, height: part.height)
                )
            case 1: .crop(to: part, gravity: gravity)
            case 2: .crop(toAspectRatio: Double(side(30)) / Double(side(30)), gravity: gravity)
            case 3: .smartCrop(to: part)
            case 4: .rotate(QuarterTurn.allCases.randomElement(using: &random) ?? .clockwise90)
            default: .flip(.vertical)
            }
        }
        let box = PixelSize(width: side(size.width / 2), height: side(size.height / 2))
        let resizes: [TransformChain] = [
            .resize(toFit: box), .resize(toFill: box), .resize(toWidth: box.width, enlarges: true),
            .resize(toHeight: box.height), .resize(to: box),
        ]
        return TransformChain(steps: leading + [resizes.randomElement(using: &random) ?? .resize(toFit: box)])
    }
}
