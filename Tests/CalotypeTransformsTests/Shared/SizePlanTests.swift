import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing

@testable import CalotypeTransforms

/// Doubles each side of an image.
private struct Doubling: SizedTransform {
    var cacheIdentity: String { "double-1" }

    func chain(for size: PixelSize) throws(TransformError) -> TransformChain {
        .resize(to: PixelSize(width: 2 * size.width, height: 2 * size.height))
    }
}

/// A transform of an application, of which nothing is known.
private struct Custom: ImageTransform {
    var cacheIdentity: String { "custom-1" }

    func apply(to image: Image) throws -> Image { image }
}

@Suite(.gated) struct SizePlanTests {
    private static let size = PixelSize(width: 80, height: 40)
    private static let enlarging = TransformChain.resize(to: PixelSize(width: 400, height: 100))

    private struct Row: Sendable {
        let chain: TransformChain
        let count: Int

        init(_ chain: TransformChain, _ count: Int) { (self.chain, self.count) = (chain, count) }
    }

    private static let rows: [Row] = [
        Row([], 3_200),
        Row(.grayscale, 3_200),
        Row(.resize(width: 20), 3_200),
        Row(enlarging, 40_000),
        Row(enlarging.appending(.resize(width: 10)), 40_000),
        Row([.crop(to: PixelSize(width: 20, height: 10)), TransformChain(Doubling())], 3_200),
        Row([TransformChain(Doubling()), TransformChain(Doubling())], 51_200),
        Row(.resize(toWidth: 800, enlarges: true), 320_000),
        Row(.pad(by: PixelInsets(top: 10, left: 10, bottom: 10, right: 10)), 6_000),
        Row(.pad(to: PixelSize(width: 100, height: 100)), 10_000),
        Row(.pad(to: PixelSize(width: 100, height: 100), backdrop: .averageColor), 10_000),
        Row(.rotate(.clockwise90), 3_200),
        Row(.rotate(byDegrees: 45), 85 * 85),
        Row([.circle(), .pad(to: PixelSize(width: 50, height: 60))], 3_200),
    ]

    @Test func `the largest size along a chain is known before its pixels`() {
        for row in Self.rows {
            let plan = row.chain.sizePlan(from: Self.size)
            #expect(plan.maxPixelCount == row.count, "\(row.chain.cacheIdentity)")
            #expect(plan.leading == row.chain && plan.rest.isEmpty)
        }
    }

    @Test(arguments: [
        TransformChain.trim(), TransformChain(Custom()),
    ])
    func `a chain is divided behind a transform that hides its size`(hiding: TransformChain) {
        let chain = TransformChain(steps: [hiding, .grayscale, Self.enlarging, .invert])
        let plan = chain.sizePlan(from: Self.size)
        #expect(plan.maxPixelCount == 3_200)
        #expect(plan.leading == hiding && plan.rest == [.grayscale, Self.enlarging, .invert])
        #expect(plan.rest.sizePlan(from: PixelSize(width: 2, height: 2)).maxPixelCount == 40_000)
        let stills = chain.exceptAnimations.sizePlan(from: Self.size)
        #expect(stills.leading.skipsAnimations && stills.rest.skipsAnimations)
        let whole: TransformChain = [hiding, .grayscale, .crop(to: PixelSize(width: 9, height: 9))]
        #expect(whole.sizePlan(from: Self.size).rest.isEmpty)
    }

    @Test func `a chain that fails is planned up to its error, also for the largest sizes`() {
        let huge = PixelSize(width: 1_000_000, height: 1_000_000)
        let chain: TransformChain = [Self.enlarging, .resize(to: huge)]
        #expect(chain.sizePlan(from: Self.size).maxPixelCount == 40_000)
        let turns = TransformChain(steps: (0..<100).map { _ in TransformChain.rotate(byDegrees: 45) })
        #expect(turns.sizePlan(from: Self.size).maxPixelCount <= 100_000_000)
        let most = PixelSize(width: Int(Int32.max), height: Int(Int32.max))
        #expect(chain.sizePlan(from: most).maxPixelCount >= most.pixelCount)
    }
}
