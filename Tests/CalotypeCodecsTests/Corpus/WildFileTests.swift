import CalotypeCodecs
import CalotypeCore
import FoundationEssentials
import TestMaterial
import TestSupport
import Testing
import WorkerSupport

/// Files of other projects in a folder beside the package.
@Suite(.blocking, .inBothModes, .enabled(if: SharedCorpus.isPresent, "\(SharedCorpus.advice)"))
struct WildFileTests {
    private func decode(_ name: String) throws -> Image {
        try CodecRegistry.tested.decode(WildFiles.data(name))
    }

    private func mean(_ image: Image) -> Double {
        Double(image.bytes.reduce(0) { $0 + Int($1) }) / Double(image.bytes.count)
    }

    @Test func `a transparent colour before the palette gives a transparent ground`() throws {
        let image = try decode("AOMediaCodec-libavif-circle-trns-before-plte.png")
        let pixels = image.rgba8()
        let middle = 4 * (image.height / 2 * image.width + image.width / 2)
        #expect(image.pixelFormat == .rgba8 && pixels[3] == 0)
        #expect([UInt8](pixels[middle..<middle + 4]) == [0, 0, 255, 255])
    }

    @Test func `inks without an Adobe marker are not black`() throws {
        #expect(try mean(decode("oximg-oximg-cmyk_noadobe.jpg")) > 40)
    }

    @Test(arguments: [
        "GNOME-gdk-pixbuf-image-outside-bg.gif", "image-rs-image-oob.gif",
        "google-wuffs-frame-out-of-bounds.gif",
    ])
    func `a canvas contains all of the first frame`(name: String) throws {
        let file = try WildFiles.data(name)
        let screen = PixelSize(
            width: Int(file[6]) | Int(file[7]) << 8,
            height: Int(file[8]) | Int(file[9]) << 8
        )
        let image = try CodecRegistry.tested.decode(file)
        #expect(
            image.size.width >= screen.width && image.size.height >= screen.height && image.size != screen
        )
        #expect(try CodecRegistry.tested.info(of: file).size == image.size)
    }

    @Test func `a gray JPEG with an RGB profile is lighter with it`() throws {
        let file = try WildFiles.data("brendan-duncan-image-j3.jpg")
        let converted = try CodecRegistry.tested.decode(file)
        let stored = try CodecRegistry.tested.decode(file, options: DecodeOptions(convertsToSRGB: false))
        #expect((13...17).contains(mean(converted) - mean(stored)))
    }

    @Test func `a JPEG XL of four inks includes its black`() throws {
        let file = try WildFiles.data("KDE-kimageformats-Format_CMYK8888.jxl")
        let image = try CodecRegistry.tested.decode(file)
        // Letters in black ink only.
        let (bytes, step) = (image.bytes, image.pixelFormat.bytesPerPixel)
        var darkest = 765
        for start in stride(from: 0, to: bytes.count, by: step) {
            let sum = Int(bytes[start]) + Int(bytes[start + 1]) + Int(bytes[start + 2])
            darkest = min(darkest, sum)
        }
        #expect(darkest < 150)
        try expectEqual(decodePiecewise(file, .random), image)
        let deep = try CodecRegistry.tested.decode(file, options: DecodeOptions(keepsDepth: true))
        #expect(deep.pixelFormat == image.pixelFormat && deep.bytes == image.bytes)
        let stored = try CodecRegistry.tested.decode(file, options: DecodeOptions(convertsToSRGB: false))
        #expect(stored.colorSpace == .sRGB && stored.size == image.size)
    }

    @Test func `a strip without a byte count extends to the end of the file`() throws {
        let image = try decode("haraldk-TwelveMonkeys-CCITT-G4-300dpi-StripByteCounts0.tif")
        #expect(image.size == PixelSize(width: 2480, height: 3507))
    }

    @Test func `a 24-bit bitmap may claim any number of colours`() throws {
        #expect(
            try decode("haraldk-TwelveMonkeys-24bitpalette.bmp").size == PixelSize(width: 320, height: 200)
        )
    }

    @Test(arguments: [
        "python-pillow-Pillow-tiff_tiled_planar_16bit_RGB.tiff",
        "python-pillow-Pillow-tiff_tiled_planar_lzw.tiff",
        "nothings-stb-iphone_basi0g01.png", "nothings-stb-iphone_basi0g02.png",
        "nothings-stb-iphone_bgwn6a08.png", "nothings-stb-iphone_bgyn6a16.png",
    ])
    func `a known but unsupported variant is an unsupported feature`(name: String) throws {
        #expect(decodeError { try decode(name) }?.code == .unsupportedFeature)
    }

    @Test(arguments: [
        "GNOME-librsvg-feMerge-color-interpolation-srgb.svg", "GNOME-librsvg-bug614018.svg",
        "haraldk-TwelveMonkeys-red-square.svg", "image-size-image-size-viewbox-units.svg",
    ])
    func `an SVG is recognised after anything before its root`(name: String) throws {
        #expect(try ImageFormat(sniffing: WildFiles.data(name)) == .svg)
    }
}
