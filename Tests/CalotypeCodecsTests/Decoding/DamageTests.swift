import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestTraits
import Testing
import WorkerSupport

/// Truncated or altered input gives a coded error, never a crash, and never a part presented as the whole.
@Suite(.blocking, .inBothModes) struct DamageTests {
    static let size = PixelSize(width: 160, height: 120)

    /// One file per kind of pixel coding.
    static let files: [(name: String, data: Data)] = {
        let color = TestPictures.photograph(size)
        let gray = TestPictures.photograph(size, format: .gray8)
        let alpha = TestPictures.photograph(size, format: .rgba8)
        let encoders: [(String, any ImageEncoder, Image)] = [
            ("baseline", JPEGEncoder(), color),
            ("baseline 4:2:0", JPEGEncoder(chromaSubsampling: .yuv420), color),
            ("baseline gray", JPEGEncoder(), gray),
            ("progressive", JPEGEncoder(isProgressive: true), color),
            ("progressive gray", JPEGEncoder(isProgressive: true), gray),
            ("png", PNGEncoder(), color),
            ("png gray", PNGEncoder(), gray),
            ("png interlaced", PNGEncoder(isInterlaced: true), alpha),
        ]
        return encoders.map { name, encoder, image in
            do {
                return (name, try encoder.encode(image))
            } catch {
                preconditionFailure("\(name): \(error)")
            }
        }
    }()

    @Test(arguments: files)
    func `a file that is cut anywhere is an error`(name: String, data: Data) {
        let last = name.hasPrefix("png") ? 1 : Self.endByteCount + 1
        let cuts = (0..<64).map { data.count * $0 / 64 } + (last...16).map { data.count - $0 }
        for count in cuts {
            let error = decodeError(data.prefix(count))
            let isExpected = [.empty, .unrecognizedFormat, .truncated, .corrupt].contains(error?.code)
            #expect(isExpected, "\(count) of \(data.count) bytes: \(String(describing: error))")
        }
    }

    @Test(arguments: files)
    func `a file cut within its pixels fails as truncated`(name: String, data: Data) {
        let last = name.hasPrefix("png") ? 1 : Self.endByteCount + 2
        for count in [data.count / 2, data.count * 3 / 4, data.count - last] {
            #expect(decodeError(data.prefix(count))?.code == .truncated)
        }
    }

    /// The number of bytes of a JPEG's end marker, and of padding before it.
    private static let endByteCount = 2

    @Test(arguments: files.filter { !$0.name.hasPrefix("png") }, [1, 2])
    func `a JPEG without its end marker is decoded and marked as truncated`(
        file: (name: String, data: Data),
        missingByteCount: Int
    ) throws {
        let whole = try CodecRegistry.tested.decode(file.data)
        #expect(!whole.metadata.isFileTruncated)
        let cut = Data(file.data.dropLast(missingByteCount))
        let image = try CodecRegistry.tested.decode(cut)
        #expect(image.bytes == whole.bytes && image.metadata.isFileTruncated && !image.metadata.isPartial)
        for pieces in Pieces.allCases {
            let arrived = try decodePiecewise(cut, pieces)
            #expect(arrived.bytes == whole.bytes && arrived.metadata.isFileTruncated, "\(pieces)")
        }
        let small = DecodeOptions(target: .fit(PixelBox(width: 30)))
        #expect(try CodecRegistry.tested.decode(cut, options: small).metadata.isFileTruncated)
    }

    @Test func `a progressive JPEG that ends before its last scan is truncated`() throws {
        let file = try #require(Self.files.first { $0.name == "progressive" }).data
        let scans = file.indices.dropLast().filter { file[$0] == 0xFF && file[$0 + 1] == 0xDA }
        #expect(scans.count > 3)
        for scan in scans.dropFirst() {
            #expect(decodeError(Data(file.prefix(scan)))?.code == .truncated, "\(scan)")
            let error = #expect(throws: DecodeError.self) {
                try decodePiecewise(Data(file.prefix(scan)), .random)
            }
            #expect(error?.code == .truncated)
        }
    }

    @Test(arguments: files)
    func `bytes after the end are harmless`(name: String, data: Data) throws {
        let whole = try CodecRegistry.tested.decode(data)
        let longer = try CodecRegistry.tested.decode(data + Data("PK and so on".utf8))
        #expect(whole.bytes == longer.bytes)
    }

    @Test(arguments: files)
    func `flipped bits give an error or an image of the size that the header claims`(name: String, data: Data)
    {
        var random = SeededGenerator(seed: 7)
        // A flipped bit in the size must stay cheap.
        let limits = DecodeLimits(pixelCountMax: 1_000_000)
        for round in 0..<150 {
            var bytes = [UInt8](data)
            for _ in 0...round % 3 {
                let bit = Int.random(in: 0..<bytes.count * 8, using: &random)
                bytes[bit / 8] ^= 1 << (bit % 8)
            }
            let damaged = Data(bytes)
            do throws(DecodeError) {
                let image = try CodecRegistry.tested.decode(damaged, options: DecodeOptions(limits: limits))
                let info = try CodecRegistry.tested.info(of: damaged, limits: limits)
                #expect(image.size == info.displaySize, "seed 7, round \(round)")
            } catch {
                #expect(!error.detail.isEmpty, "seed 7, round \(round)")
            }
        }
    }

    @Test func `a flipped bit in the pixels of a PNG is always detected`() throws {
        let data = Self.files[5].data
        var random = SeededGenerator(seed: 11)
        let start = try #require(data.indices.first { data[$0...].starts(with: "IDAT".utf8) }) + 4
        for _ in 0..<100 {
            var bytes = [UInt8](data)
            let bit = Int.random(in: start * 8..<(data.count - 12) * 8, using: &random)
            bytes[bit / 8] ^= 1 << (bit % 8)
            #expect(decodeError(Data(bytes)) != nil, "bit \(bit)")
        }
    }

    @Test func `decoding zero bytes fails as empty`() {
        #expect(decodeError(Data())?.code == .empty)
        #expect(decodeError(JPEGDecoder().tested, Data())?.code == .empty)
        #expect(decodeError(PNGDecoder(), Data())?.code == .empty)
    }

    @Test(arguments: ["<!DOCTYPE html><html>not found</html>", "hello", "\0\0\0\0\0\0\0\0\0\0\0\0"])
    func `invalid data is not recognised, and is an error for an explicit decoder`(
        text: String
    ) {
        let data = Data(text.utf8)
        #expect(decodeError(data)?.code == .unrecognizedFormat)
        #expect(decodeError(JPEGDecoder(), data)?.code == .corrupt)
        #expect([.corrupt, .truncated].contains(decodeError(PNGDecoder(), data)?.code))
    }

    private func decodeError(_ data: Data) -> DecodeError? {
        CalotypeCodecsTests.decodeError { try CodecRegistry.tested.decode(data) }
    }

    private func decodeError(_ decoder: some ImageDecoder, _ data: Data) -> DecodeError? {
        CalotypeCodecsTests.decodeError { try decoder.decode(data, options: DecodeOptions()) }
    }
}
