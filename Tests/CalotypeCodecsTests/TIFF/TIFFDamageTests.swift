import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestTraits
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
                return (name, try encoder.encode(TestPictures.photograph(size, format: format)))
            } catch {
                preconditionFailure("\(name): \(error)")
            }
        }
    }()

    private func error(_ data: Data, _ limits: DecodeLimits = DecodeLimits()) -> DecodeError? {
        decodeError { try CodecRegistry.tested.decode(data, options: DecodeOptions(limits: limits)) }
    }

    @Test(arguments: files)
    func `a file that is cut anywhere is an error`(name: String, data: Data) {
        let cuts = (0..<64).map { data.count * $0 / 64 } + (1...8).map { data.count - $0 }
        for count in cuts {
            let code = error(data.prefix(count))?.code
            // The last bytes may be the offset of a second page, or values that do not affect pixels.
            let isExpected = [.empty, .unrecognizedFormat, .truncated, .corrupt].contains(code)
            #expect(
                isExpected || count > data.count - 8,
                "\(count) of \(data.count) bytes: \(code?.label ?? "")"
            )
        }
    }

    @Test(arguments: files)
    func `a file cut within its pixels or tags fails as truncated`(name: String, data: Data) {
        for count in [data.count / 4, data.count / 2, data.count * 3 / 4] {
            #expect(error(data.prefix(count))?.code == .truncated)
        }
    }

    @Test(arguments: files)
    func `bytes after the end are harmless`(name: String, data: Data) throws {
        let whole = try CodecRegistry.tested.decode(data)
        #expect(try CodecRegistry.tested.decode(data + Data("PK and so on".utf8)).bytes == whole.bytes)
    }

    @Test(arguments: files)
    func `flipped bits give an error or an image of the size that the header claims`(name: String, data: Data)
    {
        // Half of them in the tags at the end.
        let ranges = [0..<data.count * 8, max(0, data.count - 300) * 8..<data.count * 8]
        var random = SeededGenerator(seed: 7)
        let limits = DecodeLimits(pixelCountMax: 1_000_000)
        for round in 0..<200 {
            var bytes = [UInt8](data)
            for _ in 0...round % 3 {
                let bit = Int.random(in: ranges[round % 2], using: &random)
                bytes[bit / 8] ^= 1 << (bit % 8)
            }
            let damaged = Data(bytes)
            do throws(DecodeError) {
                let image = try CodecRegistry.tested.decode(damaged, options: DecodeOptions(limits: limits))
                let info = try CodecRegistry.tested.info(of: damaged, limits: limits)
                #expect(image.size == info.displaySize, "seed 7, round \(round)")
            } catch {
                #expect(!error.detail.isEmpty && !error.detail.contains("\n"), "seed 7, round \(round)")
            }
        }
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
        #expect(error(data, DecodeLimits(pixelCountMax: 5400)) == nil)
        #expect(error(data, DecodeLimits(pixelCountMax: 5399))?.code == .limitExceeded)
        #expect(error(data, DecodeLimits(byteCountMax: data.count)) == nil)
        #expect(error(data, DecodeLimits(byteCountMax: data.count - 1))?.code == .limitExceeded)
    }
}
