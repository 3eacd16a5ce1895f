import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing
import WorkerSupport

@Suite(.blocking, .inBothModes) struct DamagedImageTests {
    private static let size = PixelSize(width: 96, height: 64)
    private static let picture = TestImages.photograph(size)
    private static let lenient = DecodeOptions(damage: .allowsPartialImage)

    private func part(_ data: Data) throws -> Image {
        #expect(decodeError { try CodecRegistry.tested.decode(data) } != nil)
        let image = try CodecRegistry.tested.decode(data, options: Self.lenient)
        #expect(image.metadata.isPartial)
        return image
    }

    private func rows(_ image: Image, _ range: Range<Int>) -> Data {
        let pixels = image.rgba8()
        return pixels[range.lowerBound * image.size.width * 4..<range.upperBound * image.size.width * 4]
    }

    @Test func `an intact image is whole in lenient mode too`() throws {
        let data = try PNGEncoder().tested.encode(Self.picture)
        let image = try CodecRegistry.tested.decode(data, options: Self.lenient)
        #expect(!image.metadata.isPartial && image.bytes == Self.picture.bytes)
    }

    @Test(arguments: [false, true])
    func `a JPEG without its end marker is whole, not partial`(isProgressive: Bool) throws {
        let data = try JPEGEncoder(isProgressive: isProgressive).tested.encode(Self.picture)
        let whole = try CodecRegistry.tested.decode(data)
        let image = try CodecRegistry.tested.decode(data.dropLast(2), options: Self.lenient)
        #expect(image.bytes == whole.bytes)
        #expect(image.metadata.isFileTruncated && !image.metadata.isPartial)
    }

    @Test func `a truncated JPEG has its received rows, and black below`() throws {
        let data = try JPEGEncoder(isProgressive: false).tested.encode(Self.picture)
        let whole = try CodecRegistry.tested.decode(data)
        let image = try part(data.prefix(data.count * 3 / 4))
        #expect(rows(image, 0..<16) == rows(whole, 0..<16))
        #expect(rows(image, 63..<64) == Data((0..<96).flatMap { _ in [0, 0, 0, 255] as [UInt8] }))
    }

    @Test func `a truncated progressive JPEG is a coarse image`() throws {
        let data = try JPEGEncoder(isProgressive: true).tested.encode(Self.picture)
        let whole = try CodecRegistry.tested.decode(data).rgba8()
        let image = try part(data.prefix(data.count * 3 / 4)).rgba8()
        let difference = zip(whole, image).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
        #expect(difference > 0 && difference < 8 * whole.count)
    }

    @Test func `a target applies to a partial image`() throws {
        let data = try JPEGEncoder(isProgressive: true).tested.encode(Self.picture)
        var options = Self.lenient
        options.target = .fit(PixelBox(width: 24))
        let image = try CodecRegistry.tested.decode(data.dropLast(200), options: options)
        #expect(image.size == PixelSize(width: 24, height: 16) && image.metadata.isPartial)
    }

    @Test func `the rows of a PNG before a wrong check sum are decoded`() throws {
        let picture = TestImages.photograph(PixelSize(width: 400, height: 300))
        var parts = PNGParts(try PNGEncoder().tested.encode(picture))
        let pixels = try #require(parts.chunks.firstIndex { $0.type == "IDAT" })
        // In two chunks; the second is damaged.
        let payload = parts.chunks[pixels].payload
        let half = payload.count / 2
        parts.chunks[pixels].payload = payload.prefix(half)
        parts.chunks.insert(parts.chunks[pixels], at: pixels + 1)
        parts.chunks[pixels + 1].payload = payload.dropFirst(half)
        let whole = try CodecRegistry.tested.decode(parts.data)
        var data = parts.data
        let last = try #require(data.indices.last { data[$0...].starts(with: "IDAT".utf8) })
        data[last + 20] ^= 0xFF
        #expect(rows(try part(data), 0..<50) == rows(whole, 0..<50))
    }

    @Test func `a truncated APNG has its earlier frames`() throws {
        let parts = try APNGDecoderTests.animation().parts()
        let whole = try #require(try CodecRegistry.tested.decode(parts.data).animation).decodedFrames()
        let controls = parts.chunks.indices.filter { parts.chunks[$0].type == "fcTL" }
        for (frameCount, control) in controls.enumerated().dropFirst(2) {
            var cut = parts
            cut.chunks.removeSubrange((control + 1)...)
            let frames = try #require(try part(cut.data).animation).decodedFrames()
            #expect(frames == Array(whole.prefix(frameCount)))
        }
        var cut = parts
        cut.chunks.removeSubrange((controls[1] + 1)...)
        let first = try part(cut.data)
        #expect(first.animation == nil && [UInt8](first.rgba8()) == whole[0])
    }

    @Test func `an APNG with invalid frames has its earlier frames`() throws {
        var parts = try APNGDecoderTests.animation().parts()
        let whole = try #require(try CodecRegistry.tested.decode(parts.data).animation).decodedFrames()
        let last = try #require(parts.chunks.lastIndex { $0.type == "fcTL" })
        parts.chunks[last].payload = bigEndian32(77) + parts.chunks[last].payload.dropFirst(4)
        let frames = try #require(try part(parts.data).animation).decodedFrames()
        #expect(frames == whole.dropLast())
    }

    @Test func `a truncated animation that cannot be repaired has its earlier frames`() throws {
        let frames = (1...3).map { GIFFile.Frame.filled(UInt8($0), width: 20, height: 10) }
        let data = GIFFile(width: 20, height: 10, frames: frames).data
        let image = try part(data.dropLast(5))
        #expect(image.animation?.frameCount == 2 && image.rgba8().prefix(4) == Data([255, 0, 0, 255]))
    }

    @Test func `a file cut anywhere gives an image of its size, or its usual error`() throws {
        let files = [
            try JPEGEncoder(isProgressive: false).tested.encode(Self.picture),
            try JPEGEncoder(isProgressive: true).tested.encode(Self.picture),
            try PNGEncoder().tested.encode(Self.picture), try GIFEncoder().tested.encode(Self.picture),
            try WebPEncoder().tested.encode(Self.picture), try BMPEncoder().tested.encode(Self.picture),
        ]
        for data in files {
            for count in (0..<32).map({ data.count * $0 / 32 }) {
                let cut = data.prefix(count)
                let strict = decodeError { try CodecRegistry.tested.decode(cut) }
                do throws(DecodeError) {
                    let image = try CodecRegistry.tested.decode(cut, options: Self.lenient)
                    #expect(image.size == Self.size && image.metadata.isPartial == (strict != nil))
                } catch {
                    #expect(error == strict)
                }
            }
        }
    }

    @Test func `an image beyond the limits is not decoded in part`() throws {
        let data = try PNGEncoder().tested.encode(Self.picture)
        var options = Self.lenient
        options.limits.maxPixelCount = 10
        let error = decodeError { try CodecRegistry.tested.decode(data, options: options) }
        #expect(error?.code == .limitExceeded)
    }
}
