import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestTraits
import Testing
import WorkerSupport

/// Truncated or altered AVIF and HEIC files.
///
/// Each gives a coded error or an image of the size in its header, never a crash.
@Suite(.blocking, .inBothModes) struct HEIFDamageTests {
    static let size = PixelSize(width: 24, height: 18)

    static let files: [(name: String, data: Data)] = {
        do {
            let color = TestPictures.photograph(size)
            let alpha = TestPictures.photograph(size, format: .rgba8)
            let gray = TestPictures.photograph(size, format: .gray8)
            return [
                ("avif", try AVIFEncoder().tested.encode(color)),
                ("avif alpha", try AVIFEncoder().tested.encode(alpha)),
                ("avif gray", try AVIFEncoder().tested.encode(gray)),
                ("avif sequence", try AVIFEncoder(speed: 9).tested.encode(AVIFSequenceTests.frames(4).image)),
                ("heic", try HEICEncoder().tested.encode(color)),
                ("heic alpha", try HEICEncoder().tested.encode(alpha)),
                ("heic gray", try HEICEncoder().tested.encode(gray)),
                ("heic grid", try grid()),
                ("heic sequence", try HEICSequenceParts(HEICSequenceTests.images(4)).data),
                ("heic sequence alpha", try HEICSequenceParts(HEICSequenceTests.images(4, .rgba8)).data),
            ]
        } catch {
            preconditionFailure("\(error)")
        }
    }()

    private static func grid() throws -> Data {
        var parts = try HEICDecoderTests.tile()
        parts.items[0].id = 2
        parts.properties.append(HEIFParts.spatialExtents(100, 64))
        parts.items.append(
            .init(
                id: 1,
                type: "grid",
                data: HEIFParts.grid(rows: 1, columns: 2, 100, 64),
                properties: [UInt8(parts.properties.count)]
            )
        )
        parts.references = [("dimg", 1, [2, 2])]
        return parts.data
    }

    private func decode(_ data: Data, limits: DecodeLimits = DecodeLimits()) throws -> Image {
        let image = try CodecRegistry.tested.decode(data, options: DecodeOptions(limits: limits))
        guard let animation = image.animation else { return image }
        for index in 0..<min(8, animation.frameCount) { _ = try animation.decodeFrame(at: index) }
        return image
    }

    @Test(arguments: files)
    func `a file that is cut anywhere is an error`(name: String, data: Data) {
        let cuts = (0..<64).map { data.count * $0 / 64 } + (1...16).map { data.count - $0 }
        for count in cuts {
            let error = decodeError { try decode(data.prefix(count)) }
            let isExpected = [.empty, .unrecognizedFormat, .truncated, .corrupt].contains(error?.code)
            #expect(isExpected, "\(count) of \(data.count) bytes: \(String(describing: error))")
        }
    }

    @Test(arguments: files)
    func `a file cut within its pixels fails as truncated`(name: String, data: Data) {
        for count in [data.count * 9 / 10, data.count - 1] {
            #expect(decodeError { try decode(data.prefix(count)) }?.code == .truncated)
        }
    }

    @Test(arguments: files)
    func `flipped bits give an error or an image of the size that the header claims`(name: String, data: Data)
    {
        var random = SeededGenerator(seed: 7)
        let limits = DecodeLimits(pixelCountMax: 1_000_000)
        for round in 0..<200 {
            var bytes = [UInt8](data)
            for _ in 0...round % 3 {
                let bit = Int.random(in: 0..<bytes.count * 8, using: &random)
                bytes[bit / 8] ^= 1 << (bit % 8)
            }
            let damaged = Data(bytes)
            do {
                let image = try decode(damaged, limits: limits)
                let info = try CodecRegistry.tested.info(of: damaged, limits: limits)
                #expect(image.size == info.displaySize, "seed 7, round \(round)")
                #expect(image.pixelFormat == info.pixelFormat, "seed 7, round \(round)")
            } catch let error as DecodeError {
                #expect(!error.detail.isEmpty, "seed 7, round \(round)")
            } catch {
                Issue.record("not an error of a decoder: \(error)")
            }
        }
    }

    @Test func `a stream that ends early is an error`() throws {
        let parts = try HEICDecoderTests.tile()
        let stream = parts.items[0].data
        // The last unit, the slice, starts after its length field.
        var start = 0
        var count = 0
        repeat {
            start += count
            count = stream.dropFirst(start).prefix(4).reduce(0) { $0 << 8 | Int($1) } + 4
        } while start + count < stream.count
        for kept in [count / 4, count / 2, count * 3 / 4] {
            var cut = parts
            cut.items[0].data =
                stream.prefix(start) + bigEndian32(kept - 4)
                + stream.dropFirst(start + 4).prefix(kept - 4)
            let file = cut.data
            #expect(decodeError { try decode(file) } != nil, "\(kept) of \(count) bytes")
        }
    }

    @Test(arguments: ["<!DOCTYPE html>", "hello", "\0\0\0\0\0\0\0\0\0\0\0\0", "\0\0\0\u{8}meta"])
    func `invalid data is an error for an explicit decoder`(text: String) {
        let data = Data(text.utf8)
        #expect(decodeError { try AVIFDecoder().tested.decode(data, options: DecodeOptions()) } != nil)
        #expect(decodeError { try HEICDecoder().tested.decode(data, options: DecodeOptions()) } != nil)
    }

    @Test func `decoding zero bytes fails as empty`() {
        #expect(
            decodeError { try AVIFDecoder().tested.decode(Data(), options: DecodeOptions()) }?.code == .empty
        )
        #expect(
            decodeError { try HEICDecoder().tested.decode(Data(), options: DecodeOptions()) }?.code == .empty
        )
    }
}
