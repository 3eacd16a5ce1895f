import CalotypeCore
import CalotypeTesting
import CalotypeTransforms
import TestSupport
import Testing
import WorkerSupport

@Suite(.blocking, .inBothModes) struct GradientTests {
    private static func gray(_ count: Int) -> [[UInt8]] { [[UInt8]](repeating: [200], count: count) }

    private func column(_ transform: TransformChain, _ count: Int) throws -> [UInt8] {
        let image = Image.grid(of: Self.gray(count), width: 1)
        return try transform.tested.apply(to: image).exactPixels.flatMap(\.self)
    }

    @Test func `keys are pinned and distinguish all properties`() throws {
        let gradient = TransformChain.gradient(.black, degrees: 30, from: 0.25, to: 0.75)
        #expect(
            gradient.cacheIdentity == "gradient-1(color=000000ff,degrees=30.0,start=0.25,stop=0.75)"
        )
        try TransformConformance(gradient).run(changed: [
            .gradient(.white, degrees: 30, from: 0.25, to: 0.75),
            .gradient(.black, degrees: 31, from: 0.25, to: 0.75),
            .gradient(.black, degrees: 30, from: 0.26, to: 0.75),
            .gradient(.black, degrees: 30, from: 0.25, to: 0.76),
        ])
    }

    @Test func `equal directions have equal keys`() {
        let pairs = [(-90.0, 270.0), (360, 0), (-720, 0), (450, 90), (-1e-300, 0)]
        for (left, right) in pairs {
            #expect(TransformChain.gradient(.black, degrees: left) == .gradient(.black, degrees: right))
        }
    }

    @Test func `the colour grows linearly between the centres of pixels`() throws {
        #expect(try column(.gradient(.black), 4) == [175, 125, 75, 25])
        #expect(try column(.gradient(.black, degrees: 180), 4) == [25, 75, 125, 175])
        #expect(
            try column(.gradient(.black, from: 0.25, to: 0.75), 8) == [200, 200, 175, 125, 75, 25, 0, 0]
        )
        #expect(try column(.gradient(.black, from: 0.5, to: 0.5), 4) == [200, 200, 0, 0])
        #expect(try column(.gradient(.black, from: 1, to: 0), 4) == [25, 75, 125, 175])
    }

    @Test func `90 degrees grow to the left, 270 to the right, and 45 from corner to corner`() throws {
        let row = Image.row(of: Self.gray(4))
        let left = try TransformChain.gradient(.black, degrees: 90).tested.apply(to: row)
        #expect(left.exactPixels == [[25], [75], [125], [175]])
        let right = try TransformChain.gradient(.black, degrees: 270).tested.apply(to: row)
        #expect(right.exactPixels == [[175], [125], [75], [25]])
        let square = Image.grid(of: Self.gray(4), width: 2)
        let diagonal = try TransformChain.gradient(.black, degrees: 45).tested.apply(to: square)
        #expect(diagonal.exactPixels == [[100], [150], [50], [100]])
    }

    @Test func `the alpha of the colour is the maximum, and an opaque image stays opaque`() throws {
        let color = RGBAColor(red: 255, green: 0, blue: 0, alpha: 128)
        let image = Image.row(of: [[200, 200, 200], [200, 200, 200]])
        let result = try TransformChain.gradient(color, degrees: -90).tested.apply(to: image)
        #expect(result.exactPixels == [[207, 175, 175], [221, 125, 125]])
    }

    @Test func `transparent pixels are covered too`() throws {
        let clear = Image.grid(of: [[0, 0, 0, 0], [0, 0, 0, 0]], width: 1)
        let result = try TransformChain.gradient(.white, degrees: 180).tested.apply(to: clear)
        #expect(result.exactPixels == [[255, 255, 255, 191], [255, 255, 255, 64]])
    }

    @Test(arguments: [
        TransformChain.gradient(.black, degrees: .nan), .gradient(.black, degrees: .infinity),
        .gradient(.black, from: -0.1), .gradient(.black, to: 1.1), .gradient(.black, from: .nan),
    ])
    func `invalid values are refused before work starts`(transform: TransformChain) {
        let error = #expect(throws: TransformError.self) { try transform.validate() }
        #expect(error?.code == .invalidParameter)
    }
}
