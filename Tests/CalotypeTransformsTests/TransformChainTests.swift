import CalotypeCore
import CalotypeTesting
import TestMaterial
import TestSupport
import Testing
import WorkerSupport

@testable import CalotypeTransforms

@Suite(.blocking, .inBothModes) struct TransformChainTests {
    private let image = TestImages.photograph(PixelSize(width: 20, height: 10))

    /// Adds a number to each byte, with a custom key text.
    private struct Adding: ImageTransform {
        var value: UInt8 = 1
        var cacheIdentity = "adding"
        var appliesPerFrame = true

        func apply(to image: Image) -> Image {
            let pixels = PixelBuffer(byteCount: image.pixels.byteCount) { target in
                image.pixels.withUnsafeBytes { source in
                    for index in source.indices { target[index] = source[index] &+ value }
                }
            }
            return Image(size: image.size, pixelFormat: image.pixelFormat, pixels: pixels)
        }
    }

    private struct Doubling: ImageTransform {
        var cacheIdentity: String { "doubling" }

        func apply(to image: Image) -> Image {
            let pixels = PixelBuffer(byteCount: image.pixels.byteCount) { target in
                image.pixels.withUnsafeBytes { source in
                    for index in source.indices { target[index] = source[index] &* 2 }
                }
            }
            return Image(size: image.size, pixelFormat: image.pixelFormat, pixels: pixels)
        }
    }

    @Test func `a chain for stills remains one within others, and has its own key`() throws {
        let (plain, spares) = (TransformChain(Adding()), TransformChain(Adding()).exceptAnimations)
        #expect(plain != spares && plain.hashValue != spares.hashValue)
        #expect((plain.cacheIdentity, spares.cacheIdentity) == ("adding", "\\stills|adding"))
        for chain: TransformChain in [[plain, spares], TransformChain(spares), spares.appending(plain)] {
            #expect(chain.skipsAnimations)
        }
        #expect(TransformChain().exceptAnimations.cacheIdentity == "")
        let frames = FakeFrameSource(frameCount: 3, size: image.size)
        let animated = frames.image
        #expect(try spares.tested.apply(to: animated) === animated)
        #expect(try spares.tested.apply(to: image).rgba8() == plain.tested.apply(to: image).rgba8())
    }

    /// Adds a number derived from the first byte of the frame.
    private struct AddingFirst: FrameDependentTransform {
        var cacheIdentity: String { "adding-first" }

        func resolved(for frame: Image) -> any ImageTransform {
            Adding(value: frame.pixels.withUnsafeBytes { $0[0] })
        }

        func apply(to image: Image) throws -> Image { try resolved(for: image).apply(to: image) }
    }

    private func gray(_ image: Image) -> UInt8 { image.pixels.withUnsafeBytes { $0[0] } }

    private func animated(appliesTo count: Int = 3) throws -> Image {
        let source = FakeFrameSource(frameCount: count, firstValue: 10, valueStep: 20, loopCount: .times(3))
        let animation = Animation(source: source)
        return try animation.decodeFrame(at: 0).replacing(animation: animation)
    }

    @Test func `steps are applied in order`() throws {
        let value = try animated().firstFrame
        #expect(gray(try TransformChain(steps: [Adding(), Doubling()]).tested.apply(to: value)) == 22)
        #expect(gray(try TransformChain(steps: [Doubling(), Adding()]).tested.apply(to: value)) == 21)
    }

    @Test func `an empty chain returns the same image`() throws {
        let chain: TransformChain = []
        #expect(try chain.tested.apply(to: image) === image)
        #expect(chain.isEmpty && chain.cacheIdentity.isEmpty)
    }

    @Test func `a nested chain equals the chain of its steps`() throws {
        let inner: TransformChain = [.blur(sigma: 1), .blur(sigma: 2)]
        let outer: TransformChain = [inner, .blur(sigma: 3)]
        let flat: TransformChain = [.blur(sigma: 1), .blur(sigma: 2), .blur(sigma: 3)]
        #expect(outer == flat)
        #expect(outer.hashValue == flat.hashValue)
        #expect(TransformChain(steps: [inner]).appending(.blur(sigma: 3)) == flat)
        #expect(TransformChain(steps: [outer]) == flat)
        #expect(outer.cacheIdentity == "blur-1(sigma=1.0)|blur-1(sigma=2.0)|blur-1(sigma=3.0)")
    }

    @Test func `no text of a step can imitate two steps`() {
        let one = TransformChain(Adding(cacheIdentity: "a|b"))
        let two = TransformChain(steps: [Adding(cacheIdentity: "a"), Adding(cacheIdentity: "b")])
        let escaped = TransformChain(steps: [Adding(cacheIdentity: "a\\"), Adding(cacheIdentity: "b")])
        #expect(Set([one, two, escaped].map(\.cacheIdentity)).count == 3)
        #expect(Set([one, two, escaped]).count == 3)
    }

    @Test func `a chain of a hundred steps works, and a longer one is refused before work starts`() throws {
        let hundred = TransformChain(steps: Array(repeating: Adding(), count: 100))
        #expect(gray(try hundred.tested.apply(to: animated().firstFrame)) == 110)
        let error = #expect(throws: TransformError.self) {
            try hundred.appending(TransformChain(Adding())).tested.apply(to: image)
        }
        #expect(error?.code == .limitExceeded)
    }

    @Test func `an invalid step is found before any other runs`() throws {
        let error = #expect(throws: TransformError.self) {
            try TransformChain.blur(sigma: 1).appending(.blur(sigma: .nan)).validate()
        }
        #expect(error?.code == .invalidParameter)
    }

    @Test func `frames are transformed lazily in the requested order`() throws {
        let image = try TransformChain(steps: [Adding(), Doubling()]).tested.apply(to: animated())
        let animation = try #require(image.animation)
        #expect(animation.frameCount == 3 && animation.loopCount == .times(3))
        #expect(try [2, 0, 1].map { gray(try animation.decodeFrame(at: $0)) } == [102, 22, 62])
        #expect(animation.duration(ofFrameAt: 1) == .milliseconds(100))
    }

    @Test func `a parameter derived from pixels is taken from the first frame for all`() throws {
        let image = try TransformChain(steps: [Doubling(), AddingFirst()]).tested.apply(to: animated())
        let animation = try #require(image.animation)
        #expect(try (0..<3).map { gray(try animation.decodeFrame(at: $0)) } == [40, 80, 120])
    }

    @Test func `a step for the first frame only gives a still`() throws {
        let image = try TransformChain(Adding(appliesPerFrame: false)).tested.apply(to: animated())
        #expect(image.animation == nil)
        #expect(gray(image) == 11)
    }

    @Test func `a result over the maximum size is refused, and a shrinking one never is`() throws {
        let large = PixelSize(width: 20_000, height: 20_000)
        #expect(throws: TransformError.self) { try ResultLimit.check(large, of: image.size) }
        #expect(throws: TransformError.self) {
            try ResultLimit.check(PixelSize(width: .max, height: .max), of: image.size)
        }
        try ResultLimit.check(large, of: PixelSize(width: 20_001, height: 20_000))
    }
}
