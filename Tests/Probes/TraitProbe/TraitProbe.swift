import Calotype
import FoundationEssentials

/// Reports the capabilities of this build, with the errors of those that are missing.
///
/// Prints one line each: the name, a tab, and `ok` or the error. `Scripts/smallest` runs it in a build
/// without any of the package's traits.
@main
struct TraitProbe {
    static func main() async {
        let picture = Self.picture()
        for format in ImageFormat.recognized where format != .svg && format != .ico {
            report(format.rawValue) {
                let data = try CodecRegistry.standard.encode(picture, as: format)
                guard try CodecRegistry.standard.decode(data).size == picture.size else { throw Odd.size }
            }
        }
        for (format, head) in heads {
            report("decode \(format)") { _ = try CodecRegistry.standard.info(of: head) }
        }
        report("target") {
            let data = try CodecRegistry.standard.encode(picture, as: .jpeg)
            let options = DecodeOptions(target: .fit(width: 8))
            let small = try CodecRegistry.standard.decode(data, options: options)
            guard small.size.width == 8 else { throw Odd.size }
        }
        report("transform") { _ = try TransformChain.blur(sigma: 2).apply(to: picture) }
        await report("http") { _ = try await ImagePipeline().image(for: "http://127.0.0.1:1/a.jpeg") }
        // Codecs requested by name.
        report("AVIFEncoder") { _ = try AVIFEncoder().encode(picture) }
        report("GIFEncoder") { _ = try GIFEncoder().encode(picture) }
        report("HEICEncoder") { _ = try HEICEncoder().encode(picture) }
        report("JPEGXLEncoder") { _ = try JPEGXLEncoder().encode(picture) }
        report("TIFFEncoder") { _ = try TIFFEncoder().encode(picture) }
    }

    private enum Odd: Error { case size }

    /// The first bytes of files whose formats depend on traits.
    private static let heads: [(ImageFormat, Data)] = [
        (.avif, Data([0, 0, 0, 24] + Array("ftypavif\0\0\0\0avifmif1".utf8))),
        (.gif, Data(Array("GIF89a".utf8) + [1, 0, 1, 0, 0, 0, 0, 0x3B])),
        (.heic, Data([0, 0, 0, 24] + Array("ftypheic\0\0\0\0heicmif1".utf8))),
        (.jpegXL, Data([0, 0, 0, 12] + Array("JXL ".utf8) + [0x0D, 0x0A, 0x87, 0x0A])),
        (.tiff, Data(Array("II*\0".utf8) + [8, 0, 0, 0])),
    ]

    private static func picture() -> Image {
        let size = PixelSize(width: 16, height: 16)
        let pixels = PixelBuffer(byteCount: 16 * 16 * 3) { bytes in
            for index in bytes.indices { bytes[index] = UInt8(truncatingIfNeeded: index) }
        }
        return Image(size: size, pixelFormat: .rgb8, pixels: pixels)
    }

    private static func report(_ name: String, _ work: () throws -> Void) {
        do {
            try work()
            print("\(name)\tok")
        } catch {
            print("\(name)\t\(error)")
        }
    }

    private static func report(_ name: String, _ work: () async throws -> Void) async {
        do {
            try await work()
            print("\(name)\tok")
        } catch {
            print("\(name)\t\(error)")
        }
    }
}
