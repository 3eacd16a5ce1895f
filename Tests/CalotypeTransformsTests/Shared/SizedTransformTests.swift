import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import CalotypeTransforms
import TestSupport
import Testing
import WorkerSupport

/// Halves each side of any size.
private struct Half: SizedTransform {
    var cacheIdentity: String { "half-1" }

    func chain(for size: PixelSize) throws(TransformError) -> TransformChain {
        guard size.width > 1 else { throw TransformError(.emptyResult, detail: "half of one pixel") }
        return .resize(to: PixelSize(width: size.width / 2, height: size.height / 2))
    }
}

@Suite(.blocking, .inBothModes) struct SizedTransformTests {
    private static let size = PixelSize(width: 80, height: 40)
    private static let image = TestImages.asymmetric(size)

    @Test func `a size-dependent transform is the same at any position in a chain`() throws {
        let half = TransformChain(Half())
        let expected = try TransformChain.resize(to: PixelSize(width: 40, height: 20)).tested.apply(
            to: Self.image
        )
        #expect(try Half().tested.apply(to: Self.image).rgba8() == expected.rgba8())
        #expect(try half.tested.apply(to: Self.image).rgba8() == expected.rgba8())
        let turned = try TransformChain.rotate(.clockwise90).appending(half).tested.apply(to: Self.image)
        #expect(turned.size == PixelSize(width: 20, height: 40))
        #expect(
            try half.appending(half).tested.apply(to: Self.image).size == PixelSize(width: 20, height: 10)
        )
    }

    @Test func `a leading size-dependent transform is planned with the decode`() throws {
        let chain = TransformChain(Half()).appending(.grayscale)
        #expect(chain.decodeGeometry == TransformChain(Half()))
        let plan = try chain.decodePlan(for: Self.size)
        let small = PixelSize(width: 40, height: 20)
        #expect(plan.target.resultSize(for: Self.size) == small)
        let decoded = TestImages.asymmetric(small)
        #expect(try plan.transforms(forDecoded: small).tested.apply(to: decoded).size == small)
        #expect(try plan.transforms(forDecoded: Self.size).tested.apply(to: Self.image).size == small)
    }

    @Test func `a size-dependent transform after a pixel-dependent one is not planned`() throws {
        let chain = TransformChain.trim().appending(TransformChain(Half()))
        #expect(chain.decodeGeometry.isEmpty)
        #expect(try chain.decodePlan(for: Self.size).target == .full)
    }

    @Test func `a size without a result is an error in planning and in applying`() throws {
        let narrow = PixelSize(width: 1, height: 9)
        #expect(throws: TransformError.self) { try TransformChain(Half()).decodePlan(for: narrow) }
        #expect(throws: TransformError.self) {
            try TransformChain(Half()).tested.apply(to: TestImages.asymmetric(narrow))
        }
    }
}
