import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestMaterial
import TestSupport
import Testing
import WorkerSupport

/// Truncated or altered AVIF and HEIC files.
///
/// Each gives a coded error or an image of the size in its header, never a crash.
@Suite(.blocking, .inBothModes) struct HEIFDamageTests {
    static let size = PixelSize(width: 24, height: 18)

    static let files: [(name: String, data: Data)] = {
        do {
            let color = TestImages.photograph(size)
            let alpha = TestImages.photograph(size, format: .rgba8)
            let gray = TestImages.photograph(size, format: .gray8)
            return [
                ("avif", try AVIFEncoder().tested.encode(color)),
                ("avif alpha", try AVIFEncoder().tested.encode(alpha)),
                ("avif gray", try AVIFEncoder().tested.encode(gray)),
                ("avif sequence", try AVIFEncoder(speed: 9).tested.encode(AVIFSequenceTests.frames(4).image)),
                ("heic", try HEICEncoder().tested.encode(color)),
                ("heic alpha", try HEICEncoder().tested.encode(alpha)),
                ("heic gray", try HEICEncoder().tested.encode(gray)),
                ("heic grid", try HEICDecoderTests.grid().data),
                ("heic sequence", try HEICSequenceParts(HEICSequenceTests.images(4)).data),
                ("heic sequence alpha", try HEICSequenceParts(HEICSequenceTests.images(4, .rgba8)).data),
            ]
        } catch {
            preconditionFailure("\(error)")
        }
    }()

    static let samples = files.map { name, data in
        DamageSample(name, data) {
            $0.truncated = [data.count * 9 / 10, data.count - 1]
            $0.maxFrameCount = 8
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
            #expect(
                decodeError { try CodecRegistry.tested.decode(file).allFrames() } != nil,
                "\(kept) of \(count) bytes"
            )
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
