import CalotypeCore
import CalotypeTesting
import CalotypeTransforms
import TestSupport
import Testing
import WorkerSupport

@Suite(.blocking, .inBothModes) struct NoiseTests {
    private static let gray = [[UInt8]](repeating: [100], count: 20_000)

    @Test func `keys are pinned and distinguish all properties`() throws {
        #expect(TransformChain.noise(amount: 20).cacheIdentity == "noise-1(amount=20,seed=0)")
        try TransformConformance(.noise(amount: 20)).run(changed: [
            .noise(amount: 21), .noise(amount: 20, seed: 1), .noise(amount: 20, seed: .max),
        ])
    }

    @Test func `the same seed gives the same pixels on all machines`() throws {
        let image = Image.row(of: [[100, 100, 100], [100, 0, 255], [5, 5, 5]])
        let result = try TransformChain.noise(amount: 10, seed: 1).tested.apply(to: image)
        #expect(result.exactPixels == [[101, 101, 101], [102, 2, 255], [0, 0, 0]])
    }

    @Test func `numbers are spread evenly around zero`() throws {
        let result = try TransformChain.noise(amount: 10).tested.apply(to: .row(of: Self.gray))
        let counts = result.exactPixels.reduce(into: [Int: Int]()) { $0[Int($1[0]) - 100, default: 0] += 1 }
        #expect(counts.keys.sorted() == Array(-5..<5))
        for count in counts.values { #expect((1_700...2_300).contains(count)) }
    }

    @Test func `another seed gives other grain`() throws {
        let grains = try (0..<4).map {
            try TransformChain.noise(amount: 50, seed: $0).apply(to: .row(of: Self.gray)).exactPixels
        }
        #expect(Set(grains).count == 4)
    }

    @Test func `alpha is unchanged, and channels change by the same number`() throws {
        let image = Image.row(of: [[UInt8]](repeating: [100, 110, 120, 7], count: 50))
        for pixel in try TransformChain.noise(amount: 40).tested.apply(to: image).exactPixels {
            #expect(pixel[1] - pixel[0] == 10 && pixel[2] - pixel[0] == 20 && pixel[3] == 7)
        }
    }

    @Test func `an amount of zero changes no pixel`() throws {
        let image = TestImages.photograph(PixelSize(width: 30, height: 20))
        #expect(try TransformChain.noise(amount: 0).tested.apply(to: image).exactPixels == image.exactPixels)
    }

    @Test(arguments: [-1, 256, Int.max])
    func `an amount out of range is refused before work starts`(amount: Int) {
        let error = #expect(throws: TransformError.self) {
            try TransformChain.noise(amount: amount).validate()
        }
        #expect(error?.code == .invalidParameter)
    }
}
