import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing
import WorkerSupport

/// Truncated, altered and excessive TIFF files.
@Suite(.blocking, .inBothModes) struct TIFFDamageTests {
    static let files: [(name: String, data: Data)] = {
        let size = PixelSize(width: 90, height: 60)
        let files: [(String, TIFFEncoder, PixelFormat)] = [
            ("none", TIFFEncoder(compression: .none), .rgb8),
            ("lzw", TIFFEncoder(), .rgb8),
            ("lzw with alpha", TIFFEncoder(), .rgba8),
            ("deflate gray", TIFFEncoder(compression: .deflate), .gray8),
            ("jpeg", TIFFEncoder(compression: .jpeg(quality: 80)), .rgb8),
        ]
        return files.map { name, encoder, format in
            do {
                return (name, try encoder.encode(TestImages.photograph(size, format: format)))
            } catch {
                preconditionFailure("\(name): \(error)")
            }
        }
    }()

    static let samples = files.map { name, data in
        DamageSample(name, data) {
            // The last bytes may be the offset of a second page, or values that do not affect pixels.
            $0.spared = Set(data.count - 7..<data.count)
            $0.truncated = [data.count / 4, data.count / 2, data.count * 3 / 4]
            $0.suffixes = [DamageSample.text]
            // Half of them in the tags at the end.
            $0.altered = [nil, max(0, data.count - 300)..<data.count]
        }
    }

    private func error(_ data: Data, _ limits: DecodeLimits = DecodeLimits()) -> DecodeError? {
        decodeError { try CodecRegistry.tested.decode(data, options: DecodeOptions(limits: limits)) }
    }

    @Test func `damaged compression is an error, without gray rows`() {
        var random = SeededGenerator(seed: 9)
        for (_, data) in Self.files[1...3] {
            var bytes = [UInt8](data)
            // Early in the pixels at the start.
            for index in 60..<120 { bytes[index] = UInt8.random(in: 0...255, using: &random) }
            #expect(error(Data(bytes))?.code == .corrupt)
        }
    }

    // MARK: - Limits

    @Test(arguments: [(65_535, 65_535), (2_147_483_647, 2_147_483_647), (100_000_001, 1)])
    func `a header with an excessive size is refused before anything is allocated`(width: Int, height: Int) {
        let file = TIFFFile(width: width, height: height, strips: [[1, 2, 3]])
        #expect(error(file.data)?.code == .limitExceeded)
        #expect(
            decodeError { try TIFFDecoder().tested.info(of: file.data, limits: DecodeLimits()) }?.code
                == .limitExceeded
        )
    }

    @Test func `an invalid size is corrupt`() {
        #expect(error(TIFFFile(width: 0, strips: [[1]]).data)?.code == .corrupt)
        #expect(error(TIFFFile(width: 1, height: 0, strips: [[1]]).data)?.code == .corrupt)
    }

    @Test func `tiles far larger than the image are refused`() {
        var file = TIFFFile(width: 20, height: 20, strips: [[1, 2, 3]])
        file.tileSize = (9984, 9984)
        #expect(error(file.data)?.code == .limitExceeded)
        file.tileSize = (0, 16)
        #expect([.limitExceeded, .corrupt].contains(error(file.data)?.code))
    }

    @Test func `an excessive sample count is refused`() {
        let file = TIFFFile(width: 1, sampleCount: 60_000, strips: [[1, 2, 3]])
        #expect(error(file.data)?.code == .limitExceeded)
    }

    @Test func `each limit is enforced exactly`() {
        let data = Self.files[1].data
        #expect(error(data, DecodeLimits(maxPixelCount: 5400)) == nil)
        #expect(error(data, DecodeLimits(maxPixelCount: 5399))?.code == .limitExceeded)
        #expect(error(data, DecodeLimits(maxByteCount: data.count)) == nil)
        #expect(error(data, DecodeLimits(maxByteCount: data.count - 1))?.code == .limitExceeded)
    }
}
