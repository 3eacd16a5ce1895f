import CalotypeCore
import CalotypeTesting
import CalotypeTransforms
import TestSupport
import Testing
import WorkerSupport

@Suite(.blocking, .inBothModes) struct ConvolutionTests {
    private static let ramp = Image.row(of: [[0], [10], [20], [30], [40]])

    private func convolved(_ rows: [[Double]], _ image: Image) throws -> [[UInt8]] {
        try TransformChain.convolve(ConvolutionKernel(rows: rows)).tested.apply(to: image).exactPixels
    }

    @Test func `keys are pinned and distinguish all weights and their arrangement`() throws {
        let kernel = ConvolutionKernel(rows: [[0, 1, -0.5]])
        #expect(TransformChain.convolve(kernel).cacheIdentity == "convolution-1(kernel=0;1.0;-0.5)")
        try TransformConformance(.convolve(kernel)).run(changed: [
            .convolve(ConvolutionKernel(rows: [[0], [1], [-0.5]])),
            .convolve(ConvolutionKernel(rows: [[0, 1, -0.5000000000000001]])),
            .convolve(ConvolutionKernel(rows: [[1, 0, -0.5]])),
        ])
    }

    @Test(
        arguments: [
            ([[0, 1, 0]], [0, 10, 20, 30, 40]), ([[1, 0, 0]], [0, 0, 10, 20, 30]),
            ([[0, 0, 1]], [10, 20, 30, 40, 40]), ([[-1, 0, 1]], [10, 20, 20, 20, 10]),
            ([[1, 0, -1]], [0, 0, 0, 0, 0]), ([[2]], [0, 20, 40, 60, 80]), ([[0, 0, 0]], [0, 0, 0, 0, 0]),
            ([[1], [1], [1]], [0, 30, 60, 90, 120]), ([[100]], [0, 255, 255, 255, 255]),
            ([[0, 0.25, 0]], [0, 3, 5, 8, 10]),
        ] as [([[Double]], [UInt8])]
    )
    func `weights apply as written, edges extend outwards, and results are rounded and clamped`(
        rows: [[Double]],
        expected: [UInt8]
    ) throws {
        // A mean of exactly half a level may be rounded to either side.
        for (got, wanted) in zip(try convolved(rows, Self.ramp), expected) {
            #expect(abs(Int(got[0]) - Int(wanted)) <= (rows == [[0, 0.25, 0]] ? 1 : 0))
        }
    }

    @Test func `rows of the kernel are rows of the image`() throws {
        let image = Image.grid(of: [[0], [30], [60]], width: 1)
        let mean = ConvolutionKernel(rows: [[1], [1], [1]]).normalized
        let result = try TransformChain.convolve(mean).tested.apply(to: image)
        #expect(result.exactPixels == [[10], [30], [50]])
    }

    @Test func `a normalized kernel sums to one, unless its sum is zero`() {
        let edges = ConvolutionKernel(rows: [[-1, 0, 1]])
        #expect(edges.normalized == edges)
        #expect(ConvolutionKernel(rows: [[1, 2, 1]]).normalized.rows == [[0.25, 0.5, 0.25]])
    }

    @Test func `an invisible neighbour has the colour of the pixel, and alpha is unchanged`() throws {
        let image = Image.row(of: [[90, 0, 0, 255], [30, 60, 0, 255], [255, 255, 255, 0]])
        let third = 1 / 3.0
        let result = try convolved([[third, third, third]], image)
        #expect(result[0] == [70, 20, 0, 255] && result[1] == [50, 40, 0, 255] && result[2][3] == 0)
    }

    @Test(
        .enabled(if: Pillow.isPresent, "\(Pillow.advice)"),
        arguments: ["1,2,1,2,4,2,1,2,1;16", "-1,-1,-1,-1,32,-1,-1,-1,-1;24", "0,-1,0,-1,5,-1,0,-1,0;1"]
    )
    func `a kernel of 3 × 3 matches Pillow within a level, except at the edges`(text: String) throws {
        let parts = text.split(separator: ";")
        let weights = parts[0].split(separator: ",").compactMap { Double($0) }
        let scale = try #require(Double(parts[1]))
        let image = TestImages.photograph(PixelSize(width: 60, height: 40))
        let rows = stride(from: 0, to: 9, by: 3).map { weights[$0..<$0 + 3].map { $0 / scale } }
        let ours = try TransformChain.convolve(ConvolutionKernel(rows: rows)).tested.apply(to: image)
        let theirs = try Pillow.image(
            image,
            size: image.size,
            "image.filter(ImageFilter.Kernel((3, 3), [\(parts[0])], scale=\(scale)))"
        )
        let inner = TransformChain.crop(to: PixelRect(x: 1, y: 1, width: 58, height: 38))
        #expect(try inner.apply(to: ours).difference(from: try inner.apply(to: theirs)).most <= 1)
    }

    @Test(
        arguments: [
            [], [[]], [[1, 2]], [[1], [2]], [[1, 2, 3], [1, 2, 3]], [[1, 2, 3], [1], [1, 2, 3]], [[.nan]],
            [[.infinity]], [[1.1e6]], [[Double](repeating: 0, count: 13)],
            [[Double]](repeating: [1], count: 13),
        ] as [[[Double]]]
    )
    func `an impossible kernel is refused before work starts`(rows: [[Double]]) {
        let transform = TransformChain.convolve(ConvolutionKernel(rows: rows))
        let error = #expect(throws: TransformError.self) { try transform.validate() }
        #expect(error?.code == .invalidParameter)
    }
}
