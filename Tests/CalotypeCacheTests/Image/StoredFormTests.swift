import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestMaterial
import TestSupport
import Testing

@testable import CalotypeCache

@Suite(.blocking) struct StoredFormTests {
    private let store = FakeByteStore()

    private var cache: ImageCache { ImageCache(stores: [store]) }

    private func animatedGIF() throws -> Data {
        let frames = FakeFrameSource(frameCount: 3, size: PixelSize(width: 4, height: 3))
        let image = frames.image
        return try GIFEncoder().encode(image)
    }

    @Test(arguments: [ImageFormat.gif, .png])
    func `an animation stored without bytes retains its original file`(
        format: ImageFormat
    ) async throws {
        let gif = try CodecRegistry.standard.decode(try animatedGIF())
        let encoder = try #require(CodecRegistry.standard.encoder(for: format))
        // Data after the end that no encoder writes.
        let file = try encoder.encode(gif) + (format == .gif ? Data("behind".utf8) : Data())
        let image = try CodecRegistry.standard.decode(file)
        #expect(image.animation?.encodedData == file)
        try await cache.store(image, for: "k")
        #expect(try await store.blob(forKey: "k")?.data == file)
    }

    @Test func `an animation decoded with other options has no encoded data`() throws {
        let file = try animatedGIF()
        for change: (inout DecodeOptions) -> Void in [
            { $0.target = .fit(width: 2) }, { $0.convertsToSRGB = false }, { $0.appliesOrientation = false },
        ] {
            var options = DecodeOptions()
            change(&options)
            let image = try CodecRegistry.standard.decode(file, options: options)
            #expect(image.animation != nil && image.animation?.encodedData == nil)
        }
    }

    @Test(arguments: [
        ("cat@2x.png", 2), ("https://a.example/cat%403x.png?x=1", 3), ("cat.png", 1), ("a@2x.b/c.png", 1),
        ("https://a@2x.example/", 1),
    ])
    func `a query reads the scale from its key, unless it states one`(
        key: String,
        scale: Double
    ) async throws {
        let cache = cache
        let data = try PNGEncoder().encode(TestImages.photograph(PixelSize(width: 4, height: 3)))
        try await cache.store(data, for: ImageKey(key))
        for _ in 0..<2 { #expect(try await cache.image(for: ImageKey(key)).image?.scale == scale) }
        let one = CacheQuery(decoding: DecodeOptions(scale: 1))
        #expect(try await cache.image(for: ImageKey(key), query: one).image?.scale == 1)
    }
}
