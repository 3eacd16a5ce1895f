import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing
import WorkerSupport

@Suite(.blocking, .inBothModes) struct LimitTests {
    static let size = PixelSize(width: 100, height: 80)
    static let image = TestImages.photograph(size)

    static func png(width: Int, height: Int) throws -> Data {
        var parts = PNGParts(try PNGEncoder().tested.encode(image))
        parts.chunks[0].payload =
            bigEndian32(width) + bigEndian32(height) + parts.chunks[0].payload.dropFirst(8)
        return parts.data
    }

    private func code(_ data: Data, _ limits: DecodeLimits = DecodeLimits()) -> DecodeError.Code? {
        decodeError { try CodecRegistry.tested.decode(data, options: DecodeOptions(limits: limits)) }?.code
    }

    @Test(arguments: [(65535, 65535), (2_147_483_647, 2_147_483_647), (100_000_001, 1), (10_001, 10_000)])
    func `a header with an excessive size is refused before anything is allocated`(width: Int, height: Int)
        throws
    {
        let bomb = try Self.png(width: width, height: height)
        #expect(code(bomb) == .limitExceeded)
        #expect(decodeError { try CodecRegistry.tested.info(of: bomb) }?.code == .limitExceeded)
    }

    @Test func `a small target does not bypass the limits`() throws {
        let options = DecodeOptions(target: .fit(PixelBox(width: 10)))
        let bomb = try Self.png(width: 65535, height: 65535)
        #expect(
            decodeError { try CodecRegistry.tested.decode(bomb, options: options) }?.code == .limitExceeded
        )
    }

    @Test(arguments: [(0, 80), (100, 0), (0, 0), (2_147_483_648, 1)])
    func `an invalid size is corrupt`(width: Int, height: Int) throws {
        #expect(code(try Self.png(width: width, height: height)) == .corrupt)
    }

    @Test func `each limit is enforced exactly`() throws {
        for file in [try PNGEncoder().tested.encode(Self.image), try JPEGEncoder().tested.encode(Self.image)]
        {
            #expect(code(file, DecodeLimits(maxPixelCount: 8000)) == nil)
            #expect(code(file, DecodeLimits(maxPixelCount: 7999)) == .limitExceeded)
            #expect(code(file, DecodeLimits(maxByteCount: file.count)) == nil)
            #expect(code(file, DecodeLimits(maxByteCount: file.count - 1)) == .limitExceeded)
        }
    }

    @Test func `scans of a progressive JPEG are counted, those of a baseline one are not`() throws {
        let progressive = try JPEGEncoder(isProgressive: true).tested.encode(Self.image)
        let scanCount = zip(progressive, progressive.dropFirst()).count { $0 == 0xFF && $1 == 0xDA }
        try #require(scanCount > 5)
        #expect(code(progressive, DecodeLimits(maxScanPixelCount: 8000 * scanCount)) == nil)
        #expect(code(progressive, DecodeLimits(maxScanPixelCount: 8000 * scanCount - 1)) == .limitExceeded)
        let baseline = try JPEGEncoder().tested.encode(Self.image)
        #expect(code(baseline, DecodeLimits(maxScanPixelCount: 1)) == nil)
    }

    @Test func `coefficients of a progressive JPEG count, and a baseline one stores none`() throws {
        let progressive = try JPEGEncoder(isProgressive: true).tested.encode(Self.image)
        // Three times 13 × 10 blocks of 64 coefficients of 2 bytes each.
        #expect(code(progressive, DecodeLimits(maxWorkingByteCount: 49_920)) == nil)
        #expect(code(progressive, DecodeLimits(maxWorkingByteCount: 49_919)) == .limitExceeded)
        let baseline = try JPEGEncoder().tested.encode(Self.image)
        #expect(code(baseline, DecodeLimits(maxWorkingByteCount: 1)) == nil)
    }

    @Test func `frames of an animation count against the limit`() throws {
        var parts = PNGParts(try PNGEncoder().tested.encode(Self.image))
        parts.insert("acTL", bigEndian32(50) + bigEndian32(0), before: "IDAT")
        #expect(code(parts.data, DecodeLimits(maxFrameCount: 50, maxFramePixelCount: 400_000)) == nil)
        #expect(code(parts.data, DecodeLimits(maxFrameCount: 49)) == .limitExceeded)
        #expect(code(parts.data, DecodeLimits(maxFramePixelCount: 399_999)) == .limitExceeded)
    }
}
