import CalotypeCore
import CalotypeTesting
import CalotypeTransforms
import TestSupport
import Testing
import WorkerSupport

@Suite(.blocking, .inBothModes) struct ToneCurvesTests {
    private static let negative = ToneCurve { 255 - $0 }

    private static func points(_ points: [(UInt8, UInt8)]) -> [ToneCurve.Point] {
        points.map { ToneCurve.Point(level: $0.0, result: $0.1) }
    }

    private func mapped(_ curve: ToneCurve, _ levels: [UInt8]) throws -> [UInt8] {
        let image = Image.row(of: levels.map { [$0] })
        return try TransformChain.toneCurve(curve).tested.apply(to: image).exactPixels.flatMap(\.self)
    }

    @Test func `keys contain a digest of all levels of different curves`() throws {
        // SHA-256 of the bytes 0 to 255.
        let all = TransformChain.toneCurve(.identity).cacheIdentity
        #expect(all == "toneCurves-2(all=40aff2e9d2d8922e47afd4648e696749)")
        let red = TransformChain.toneCurves(red: Self.negative)
        #expect(red.cacheIdentity.hasPrefix("toneCurves-2(each=") && red.cacheIdentity.utf8.count < 60)
        try TransformConformance(red).run(changed: [
            .toneCurves(green: Self.negative), .toneCurves(blue: Self.negative), .toneCurve(Self.negative),
            .toneCurves(red: ToneCurve { $0 == 255 ? 1 : 255 - $0 }), .toneCurves(),
        ])
    }

    @Test func `each channel has its curve, and alpha is unchanged`() throws {
        let image = Image.row(of: [[1, 2, 3], [0, 255, 100]])
        let red = try TransformChain.toneCurves(red: Self.negative).tested.apply(to: image)
        #expect(red.exactPixels == [[254, 2, 3], [255, 255, 100]])
        let green = try TransformChain.toneCurves(green: Self.negative).tested.apply(to: image)
        #expect(green.exactPixels == [[1, 253, 3], [0, 0, 100]])
        let all = try TransformChain.toneCurve(Self.negative).tested.apply(to: .row(of: [[1, 2, 3, 7]]))
        #expect(all.exactPixels == [[254, 253, 252, 7]])
    }

    @Test func `gray stays gray under equal curves and becomes coloured under different ones`() throws {
        let gray = Image.row(of: [[0], [10]])
        let equal = try TransformChain.toneCurve(Self.negative).tested.apply(to: gray)
        #expect(equal.pixelFormat == .gray8 && equal.exactPixels == [[255], [245]])
        let different = try TransformChain.toneCurves(red: Self.negative).tested.apply(to: gray)
        #expect(different.exactPixels == [[255, 0, 0], [245, 10, 10]])
    }

    @Test(arguments: PixelFormat.eightBitFormats)
    func `the identity changes no pixel`(format: PixelFormat) throws {
        let image = TestImages.asymmetric(PixelSize(width: 64, height: 64), format: format)
        let result = try TransformChain.toneCurves().tested.apply(to: image)
        #expect(result.pixelFormat == format && result.exactPixels == image.exactPixels)
    }

    /// The value between two points is that of a natural cubic spline, computed by hand.
    @Test func `a curve passes through its points and is smooth between them`() throws {
        let curve = try ToneCurve(through: Self.points([(0, 0), (40, 59), (255, 255)]))
        #expect(try mapped(curve, [0, 20, 40, 100, 150, 200, 255]) == [0, 30, 59, 131, 178, 217, 255])
        let line = try ToneCurve(through: Self.points([(10, 20), (30, 60)]))
        #expect(try mapped(line, [0, 9, 10, 20, 30, 31, 255]) == [20, 20, 20, 40, 60, 60, 60])
        let steep = try ToneCurve(through: Self.points([(0, 0), (10, 255), (20, 0), (255, 0)]))
        #expect(try mapped(steep, [0, 10, 20, 255]) == [0, 255, 0, 0])
    }

    @Test func `one point is a constant, and none changes nothing`() throws {
        #expect(try mapped(ToneCurve(through: Self.points([(9, 77)])), [0, 9, 255]) == [77, 77, 77])
        #expect(try ToneCurve(through: []) == .identity)
    }

    @Test(
        arguments: [[(5, 5), (5, 6)], [(5, 5), (4, 6)], [(0, 0), (255, 1), (254, 1)]] as [[(UInt8, UInt8)]]
    )
    func `points that do not ascend are refused`(points: [(UInt8, UInt8)]) {
        let error = #expect(throws: TransformError.self) { try ToneCurve(through: Self.points(points)) }
        #expect(error?.code == .invalidParameter)
    }

    @Test func `curves are applied one after another`() throws {
        let double = ToneCurve { UInt8(min(255, Int($0) * 2)) }
        #expect(try mapped(double.followed(by: Self.negative), [0, 100, 200]) == [255, 55, 0])
        #expect(try mapped(Self.negative.followed(by: double), [0, 200, 255]) == [255, 110, 0])
    }

    // MARK: - Equalization

    @Test func `equalization spreads levels by their frequency`() throws {
        #expect(TransformChain.equalize.cacheIdentity == "equalize-1()")
        try TransformConformance(.equalize).run(changed: [])
        let gray = try TransformChain.equalize.tested.apply(to: .row(of: [[10], [10], [20], [30]]))
        #expect(gray.exactPixels == [[0], [0], [128], [255]])
        let colors: [[UInt8]] = [[10, 5, 0], [10, 5, 9], [20, 5, 9], [30, 5, 9]]
        let color = try TransformChain.equalize.tested.apply(to: .row(of: colors))
        #expect(color.exactPixels == [[0, 5, 0], [0, 5, 255], [128, 5, 255], [255, 5, 255]])
    }

    @Test func `invisible pixels do not count in equalization, and alpha is unchanged`() throws {
        let image = Image.row(of: [[10, 5, 0, 255], [10, 5, 9, 9], [200, 5, 9, 0], [30, 5, 9, 1]])
        let result = try TransformChain.equalize.tested.apply(to: image)
        #expect(result.alphas == [255, 9, 0, 1])
        #expect(result.exactPixels[0][0] == 0 && result.exactPixels[3][0] == 255)
    }

    @Test(.enabled(if: Pillow.isPresent, "\(Pillow.advice)"))
    func `equalization matches Pillow within a few levels`() throws {
        let image = TestImages.photograph(PixelSize(width: 160, height: 120))
        let theirs = try Pillow.image(image, size: image.size, "ImageOps.equalize(image)")
        #expect(try TransformChain.equalize.tested.apply(to: image).difference(from: theirs).mean < 4)
    }
}
