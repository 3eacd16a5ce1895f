import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing
import WorkerSupport

/// Truncated or altered input gives a coded error, never a crash, and never a part presented as the whole.
@Suite(.blocking, .inBothModes) struct DamageTests {
    static let size = PixelSize(width: 160, height: 120)

    /// One file per kind of pixel coding.
    static let files: [(name: String, data: Data)] = {
        let color = TestImages.photograph(size)
        let gray = TestImages.photograph(size, format: .gray8)
        let alpha = TestImages.photograph(size, format: .rgba8)
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

    /// The number of bytes of a JPEG's end marker, and of padding before it.
    private static let endByteCount = 2

    /// Those of this suite and of the other formats.
    static let samples: [DamageSample] =
        files.map { name, data in
            let isPNG = name.hasPrefix("png")
            return DamageSample(name, data) {
                if !isPNG { $0.spared = [data.count - 1, data.count - endByteCount] }
                $0.truncated = [
                    data.count / 2, data.count * 3 / 4, data.count - (isPNG ? 1 : endByteCount + 2),
                ]
                $0.suffixes = [DamageSample.text]
            }
        } + [APNGDamageTests.sample] + GIFHostileTests.samples + WebPDamageTests.samples
        + HEIFDamageTests.samples + HEICInterTests.samples + JPEGXLDamageTests.samples
        + TIFFDamageTests.samples

    // MARK: - All formats

    @Test(arguments: samples) func `a file that is cut anywhere is an error`(sample: DamageSample) {
        for count in Damage.cuts(of: sample.data) {
            let error = decodeError(sample.data.prefix(count))
            let isExpected = error.map { sample.cutCodes(count).contains($0.code) } ?? false
            #expect(
                isExpected || sample.spared.contains(count),
                "\(count) of \(sample.data.count) bytes: \(String(describing: error))"
            )
        }
    }

    @Test(arguments: samples.filter { !$0.truncated.isEmpty })
    func `a file cut within its pixels fails as truncated`(sample: DamageSample) {
        for count in sample.truncated {
            let code = decodeError(sample.data.prefix(count))?.code
            #expect(code == .truncated, "\(count) of \(sample.data.count) bytes")
        }
    }

    @Test(arguments: samples.filter { !$0.suffixes.isEmpty })
    func `bytes after the end are harmless`(sample: DamageSample) throws {
        let whole = try CodecRegistry.tested.decode(sample.data).allFrames().map(\.bytes)
        for suffix in sample.suffixes {
            let longer = try CodecRegistry.tested.decode(sample.data + suffix)
            #expect(try longer.allFrames().map(\.bytes) == whole)
        }
    }

    @Test(arguments: samples.filter { $0.roundCount > 0 })
    func `flipped bits give an error or frames as the header claims`(sample: DamageSample) {
        var random = SeededGenerator(seed: sample.seed)
        for round in 0..<sample.roundCount {
            let range = sample.altered[round % sample.altered.count]
            let damaged = sample.data.flippingBits(1 + round % 3, in: range, using: &random)
            let comment = Comment("seed \(sample.seed), round \(round)")
            let error = CalotypeCodecsTests.decodeError {
                let options = DecodeOptions(limits: sample.limits)
                let image = try CodecRegistry.tested.decode(damaged, options: options)
                let info = try CodecRegistry.tested.info(of: damaged, limits: sample.limits)
                #expect(image.size == info.displaySize && image.pixelFormat == info.pixelFormat, comment)
                #expect((image.animation?.frameCount ?? 1) == info.frameCount, comment)
                for frame in try image.allFrames(max: sample.maxFrameCount) {
                    let isClaimed = frame.size == info.displaySize && frame.pixelFormat == info.pixelFormat
                    #expect(isClaimed, comment)
                }
            }
            #expect(error?.detail.isEmpty != true && error?.detail.contains("\n") != true, comment)
        }
    }

    // MARK: - JPEG and PNG

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

    @Test func `a flipped bit in the pixels of a PNG is always detected`() throws {
        let data = Self.files[5].data
        var random = SeededGenerator(seed: 11)
        let start = try #require(data.indices.first { data[$0...].starts(with: "IDAT".utf8) }) + 4
        for round in 0..<100 {
            let damaged = data.flippingBits(1, in: start..<data.count - 12, using: &random)
            #expect(decodeError(damaged) != nil, "seed 11, round \(round)")
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
        CalotypeCodecsTests.decodeError { try CodecRegistry.tested.decode(data).allFrames() }
    }

    private func decodeError(_ decoder: some ImageDecoder, _ data: Data) -> DecodeError? {
        CalotypeCodecsTests.decodeError { try decoder.decode(data, options: DecodeOptions()) }
    }
}
