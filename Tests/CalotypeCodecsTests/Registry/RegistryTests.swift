import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing
import WorkerSupport

@Suite(.blocking, .inBothModes) struct RegistryTests {
    private func image(_ format: PixelFormat, from file: ImageFormat?) -> Image {
        let source = TestImages.photograph(PixelSize(width: 20, height: 10), format: format)
        return Image(size: source.size, pixelFormat: format, pixels: source.pixels, format: file)
    }

    @Test func `by default an image is encoded in its original format`() throws {
        let registry = CodecRegistry.tested
        for format in [ImageFormat.png, .jpeg] {
            let data = try registry.encode(image(.rgb8, from: format))
            #expect(ImageFormat(sniffing: data) == format)
        }
    }

    @Test func `an image without a format is a PNG if translucent, else a JPEG`() throws {
        let registry = CodecRegistry.tested
        for format in [nil, ImageFormat.ico] {
            #expect(registry.encodingFormat(for: image(.rgba8, from: format)) == .png)
            #expect(registry.encodingFormat(for: image(.rgb8, from: format)) == .jpeg)
            #expect(registry.encodingFormat(for: image(.gray8, from: format)) == .jpeg)
        }
        #expect(registry.encodingFormat(for: image(.rgb8, from: .svg)) == .png, "drawings have few colours")
        #expect(ImageFormat(sniffing: try registry.encode(image(.rgba8, from: nil))) == .png)
    }

    @Test func `a JPEG that has become translucent is encoded losslessly as PNG`() throws {
        let registry = CodecRegistry.tested
        let translucent = image(.rgba8, from: .jpeg)
        #expect(registry.encodingFormat(for: translucent) == .png)
        #expect(try registry.decode(registry.encode(translucent)).rgba8() == translucent.rgba8())
    }

    @Test func `a format without an encoder is an error`() {
        #expect(throws: EncodeError.self) {
            try CodecRegistry.tested.encode(self.image(.rgb8, from: nil), as: .svg)
        }
    }

    /// In process only: workers rasterise SVG.
    @Test func `each recognised format has a decoder or is refused by name`() {
        let svg = Data("<svg xmlns='http://www.w3.org/2000/svg'/>".utf8)
        let error = #expect(throws: DecodeError.self) { try CodecRegistry.standard.decode(svg) }
        #expect(error?.code == .unsupportedFeature)
        #expect(error?.format == .svg)
    }

    /// In process only: workers that take too long are killed.
    @Test func `a codec without enforced limits is not used for the public web`() throws {
        let source = image(.rgb8, from: nil)
        let file = try JPEGXLEncoder(effort: 3).encode(source)
        #expect(!JPEGXLDecoder().isBounded)
        #expect(try CodecRegistry.standard.decode(file).size == source.size)
        let error = decodeError { try CodecRegistry.publicWeb.decode(file) }
        #expect(error?.code == .unsupportedFeature && error?.format == .jpegXL)
        let jpeg = try CodecRegistry.publicWeb.encode(source, as: .jpeg)
        #expect(try CodecRegistry.publicWeb.decode(jpeg).size == source.size)
    }

    @Test func `the last registered codec takes precedence`() throws {
        var registry = CodecRegistry.tested
        registry.register(JPEGEncoder(quality: 10))
        let picture = image(.rgb8, from: .jpeg)
        #expect(try registry.encode(picture) == JPEGEncoder(quality: 10).encode(picture))
    }
}
