import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing
import WorkerSupport

/// JPEG XL frames that are decoded without being shown, and layers of one image.
@Suite(.blocking, .inBothModes) struct JPEGXLHiddenFrameTests {
    private static let canvas = PixelSize(width: 64, height: 48)
    private static let head = JPEGXLBuilding.header(canvas)
    private static let last = JPEGXLBuilding.frame(canvas: canvas, isLast: true)

    private static func hidden(_ width: Int, _ height: Int) -> Data {
        JPEGXLBuilding.frame(
            PixelSize(width: width, height: height),
            canvas: canvas,
            kind: .referenceOnly
        )
    }

    /// The error code, which is equal for header, decode and incremental decode.
    private func code(_ file: Data, _ limits: DecodeLimits = DecodeLimits()) -> DecodeError.Code? {
        let options = DecodeOptions(limits: limits)
        let decoded = decodeError { try JPEGXLDecoder().tested.decode(file, options: options) }?.code
        let told = decodeError { try JPEGXLDecoder().tested.info(of: file, limits: limits) }?.code
        let parted = decodeError { try decodePiecewise(file, .random, options) }?.code
        #expect(decoded == told && decoded == parted)
        return decoded
    }

    @Test func `a few small hidden frames are decoded and not shown`() throws {
        let file = Self.head + Self.hidden(1_000, 1_000) + Self.hidden(64, 48) + Self.last
        let image = try JPEGXLDecoder().tested.decode(file, options: DecodeOptions())
        #expect(image.size == Self.canvas && image.animation == nil)
        try expectEqual(decodePiecewise(file, .bytes), CodecRegistry.tested.decode(file))
    }

    @Test(arguments: [(8_000, 8_000), (30_000, 30_000), (120_000, 120_000), (1_048_577, 1)])
    func `a hidden frame larger than the image and a megapixel is refused`(width: Int, height: Int) {
        #expect(code(Self.head + Self.hidden(width, height) + Self.last) == .limitExceeded)
    }

    @Test func `all hidden frames of an image count together`() {
        let frame = Self.hidden(512, 512)
        let four = Data(repeatElement(frame, count: 4).joined())
        #expect(code(Self.head + four + Self.last) == nil)
        #expect(code(Self.head + four + Self.hidden(1, 1) + Self.last) == .limitExceeded)
    }

    @Test func `the layers of an image count together`() {
        let layers = Data(repeatElement(JPEGXLBuilding.frame(canvas: Self.canvas), count: 20).joined())
        let file = Self.head + layers + Self.last
        #expect(code(file, DecodeLimits(maxPixelCount: 21 * 64 * 48)) == nil)
        #expect(code(file, DecodeLimits(maxPixelCount: 21 * 64 * 48 - 1)) == .limitExceeded)
        #expect(code(file, DecodeLimits(maxFrameCount: 20)) == .limitExceeded)
    }

    @Test func `frames that cannot be skipped are refused`() {
        let first = JPEGXLBuilding.frame(canvas: Self.canvas, isPermuted: true)
        #expect(code(Self.head + first + Self.last) == .unsupportedFeature)
    }

    /// 1 to 17 partial boxes, all but one empty, with other boxes between them.
    @Test(arguments: [1, 2, 17])
    func `hidden frames in boxes are found`(partCount: Int) throws {
        func boxed(_ codestream: Data) -> Data {
            let step = (codestream.count + partCount - 1) / partCount
            var file = Data([0, 0, 0, 12]) + Data("JXL \r\n".utf8) + Data([0x87, 10])
            file += box("ftyp", Data("jxl \0\0\0\0jxl ".utf8))
            for part in 0..<partCount {
                let bytes = codestream.dropFirst(part * step).prefix(step)
                let number = part == partCount - 1 ? part | 1 << 31 : part
                file += box("Exif", Data(count: 5)) + box("jxlp", bigEndian32(number) + bytes)
            }
            return file
        }
        #expect(code(boxed(Self.head + Self.hidden(8_000, 8_000) + Self.last)) == .limitExceeded)
        let sound = Self.head + Self.hidden(64, 48) + Self.last
        #expect(code(boxed(sound)) == nil)
        // A nested container is not a codestream.
        #expect(code(boxed(boxed(sound))) == .corrupt)
    }

    private func box(_ type: String, _ payload: Data) -> Data {
        bigEndian32(payload.count + 8) + Data(type.utf8) + payload
    }

    @Test func `a file over the limits is refused before any pixel is decoded`() throws {
        let files = [
            Self.hidden(30_000, 30_000), Data(repeatElement(Self.hidden(3_000, 2_000), count: 200).joined()),
        ]
        for frames in files {
            let report = try ProbeReport(of: Self.head + frames + Self.last)
            #expect(report.header == "limitExceeded" && report.decode == "limitExceeded", "\(report)")
            #expect(report.milliseconds < 1_000 && report.kilobytes < 50_000, "\(report)")
        }
    }
}
