import CalotypeCore
import CalotypeTesting
import CalotypeTransforms
import TestSupport
import Testing
import WorkerSupport

@Suite(.blocking, .inBothModes) struct EllipticCornersTests {
    private static let size = PixelSize(width: 40, height: 30)

    private func alphas(_ horizontal: Double, _ vertical: Double, _ size: PixelSize = size) throws -> [UInt8]
    {
        let image = TestImages.photograph(size)
        let corners = TransformChain.roundCorners(horizontalRadius: horizontal, verticalRadius: vertical)
        return try corners.tested.apply(to: image).alphas
    }

    @Test func `keys are pinned and distinguish all properties`() throws {
        let corners = TransformChain.roundCorners(horizontalRadius: 5, verticalRadius: 3)
        #expect(corners.cacheIdentity == "ellipticCorners-1(horizontal=5.0,vertical=3.0)")
        try TransformConformance(corners).run(changed: [
            .roundCorners(horizontalRadius: 3, verticalRadius: 5),
            .roundCorners(horizontalRadius: 6, verticalRadius: 3), .roundCorners(radius: 5),
        ])
    }

    @Test func `equal radii are quarter circles`() {
        #expect(
            TransformChain.roundCorners(horizontalRadius: 9, verticalRadius: 9) == .roundCorners(radius: 9)
        )
    }

    /// A quarter ellipse leaves (1 − π ÷ 4) of the rectangle around it.
    @Test(arguments: [(10.0, 5.0), (5, 10), (20, 15), (3.5, 12), (20, 1), (0.5, 9)])
    func `the removed area is that outside of four quarter ellipses`(radii: (Double, Double)) throws {
        let covered = try alphas(radii.0, radii.1).reduce(0) { $0 + Double($1) / 255 }
        let expected = 1_200 - (4 - Double.pi) * radii.0 * radii.1
        // Each of the pixels on the edge is rounded by at most half a level.
        #expect(abs(covered - expected) < 0.25)
    }

    @Test func `swapped radii give the transposed shape, and the shape is symmetric`() throws {
        let wide = try alphas(12, 4)
        let high = try alphas(4, 12, PixelSize(width: 30, height: 40))
        for y in 0..<30 {
            for x in 0..<40 {
                #expect(abs(Int(wide[y * 40 + x]) - Int(high[x * 30 + y])) <= 1)
                #expect(abs(Int(wide[y * 40 + x]) - Int(wide[(29 - y) * 40 + 39 - x])) <= 1)
            }
        }
    }

    @Test func `radii beyond the sides are reduced by one factor`() throws {
        #expect(try alphas(200, 150) == alphas(20, 15))
        #expect(try alphas(200, 75) == alphas(20, 7.5))
    }

    @Test func `a radius of zero leaves corners square, and colours are unchanged`() throws {
        let image = TestImages.photograph(Self.size)
        for (horizontal, vertical) in [(0.0, 9.0), (9, 0)] {
            let corners = TransformChain.roundCorners(horizontalRadius: horizontal, verticalRadius: vertical)
            #expect(try corners.tested.apply(to: image).exactPixels == image.exactPixels)
        }
    }

    @Test(arguments: [(-1.0, 5.0), (5, -1), (.nan, 5), (5, 1_000_001), (.infinity, 0)])
    func `a radius out of range is refused before work starts`(radii: (Double, Double)) {
        let corners = TransformChain.roundCorners(horizontalRadius: radii.0, verticalRadius: radii.1)
        let error = #expect(throws: TransformError.self) { try corners.validate() }
        #expect(error?.code == .invalidParameter)
    }
}
