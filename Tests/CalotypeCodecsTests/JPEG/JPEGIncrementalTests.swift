import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing
import WorkerSupport

@Suite(.blocking, .inBothModes) struct JPEGIncrementalTests {
    static let files = DamageTests.files.filter { $0.data[0] == 0xFF }
    static let scanned = files.filter { $0.name.hasPrefix("progressive") }

    @Test(arguments: files, Orientation.allCases)
    func `size and orientation match an ordinary decode`(
        file: (name: String, data: Data),
        orientation: Orientation
    ) throws {
        let block = Data("Exif\0\0".utf8) + exifBlock(orientation: orientation.rawValue)
        let turned = jpeg(file.data, inserting: 0xE1, block)
        for target in [
            DecodeOptions.Target.full, .fit(PixelBox(width: 70)), .fill(PixelBox(width: 9, height: 9)),
        ] {
            let options = DecodeOptions(target: target, scale: 2)
            let whole = try decode(turned, options)
            let parted = try decodePiecewise(turned, .random, options) { preview in
                #expect(preview.image.size == whole.size)
            }
            try expectEqual(parted, whole)
        }
    }

    @Test(arguments: scanned)
    func `each preview of several scans covers the image, and the last is the best`(name: String, data: Data)
        throws
    {
        let whole = try decode(data)
        var differences: [Double] = []
        _ = try decodePiecewise(data, .random) { preview in
            #expect(preview.rowCount == 120)
            differences.append(preview.image.difference(to: whole).mean)
        }
        #expect(differences.count > 5)
        #expect(differences.last == 0)
        let first = try #require(differences.first)
        #expect(first > 1 && first < 40)
    }

    /// One scan per component, from three gray images.
    private func severalScans() throws -> Data {
        let files = try (1...3).map { seed in
            let picture = TestImages.photograph(DamageTests.size, format: .gray8, seed: UInt64(seed))
            return try JPEGEncoder().tested.encode(picture)
        }
        let frame = try #require(files[0].firstRange(of: [0xFF, 0xC0]))
        let scan = try #require(files[0].firstRange(of: [0xFF, 0xDA]))
        var data = files[0][..<frame.lowerBound] + Data([0xFF, 0xC0, 0, 17])
        data += files[0][(frame.upperBound + 2)..<(frame.upperBound + 7)]
        data += [3, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0]
        data += files[0][(frame.upperBound + 11)..<scan.lowerBound]
        for (index, file) in files.enumerated() {
            let scan = try #require(file.firstRange(of: [0xFF, 0xDA]))
            data += [0xFF, 0xDA, 0, 8, 1, UInt8(index + 1), 0, 0, 63, 0]
            data += file[(scan.upperBound + 8)...].dropLast(2)
        }
        return data + [0xFF, 0xD9]
    }

    @Test(arguments: Pieces.allCases)
    func `several sequential scans give previews of all rows`(pieces: Pieces) throws {
        let data = try severalScans()
        let whole = try decode(data)
        #expect(whole.pixelFormat == .rgb8)
        var previews = 0
        try expectEqual(
            decodePiecewise(data, pieces) { preview in
                #expect(preview.rowCount == 120)
                previews += 1
            },
            whole
        )
        #expect(previews > 0)
    }

    @Test(arguments: files) func `there is no preview without new rows`(name: String, data: Data)
        throws
    {
        let decoder = try #require(CodecRegistry.tested.makeIncrementalDecoder(forHead: data))
        #expect(try decoder.preview() == nil)
        try decoder.append(data.prefix(data.count / 2))
        #expect(try decoder.preview() != nil)
        #expect(try decoder.preview() == nil)
        try decoder.append(data.dropFirst(data.count / 2))
        #expect(try decoder.preview() != nil)
        #expect(try decoder.preview() == nil)
        _ = try decoder.finish()
    }

    /// With many bytes at once, libjpeg-turbo decodes a block twice if a fill byte precedes data.
    @Test func `fill bytes within a scan give the same image`() throws {
        let noise = TestImages.asymmetric(PixelSize(width: 96, height: 64), format: .gray8)
        let data = try JPEGEncoder(quality: 98).tested.encode(noise)
        let scan = try #require(data.firstRange(of: Data([0xFF, 0xDA]))).lowerBound
        let filled = data[..<scan] + data[scan...].replacing(Data([0xFF, 0]), with: Data([0xFF, 0xFF, 0]))
        #expect(filled.count > data.count)
        let whole = try decode(filled)
        for pieces in Pieces.allCases {
            try expectEqual(decodePiecewise(filled, pieces, preview: { _ in }), whole, "\(pieces)")
        }
    }

    @Test func `limits hold while bytes arrive`() throws {
        let data = Self.scanned[0].data
        let pixelCount = DamageTests.size.pixelCount
        let scanCount = zip(data, data.dropFirst()).count { $0 == 0xFF && $1 == 0xDA }
        let limits = [
            DecodeLimits(maxPixelCount: pixelCount - 1),
            DecodeLimits(maxScanPixelCount: pixelCount * scanCount - 1),
            DecodeLimits(maxWorkingByteCount: 128),
            DecodeLimits(maxByteCount: data.count - 1),
        ]
        for limit in limits {
            let options = DecodeOptions(limits: limit)
            let decoder = try #require(
                CodecRegistry.tested.makeIncrementalDecoder(forHead: data, options: options)
            )
            #expect(decodeError { try decoder.judge(data) }?.code == .limitExceeded)
            // The error persists.
            #expect(decodeError { try decoder.judge(Data([0])) }?.code == .limitExceeded)
            #expect(decodeError { try decoder.preview() }?.code == .limitExceeded)
            #expect(decodeError { try decoder.finish() }?.code == .limitExceeded)
        }
        let enough = DecodeLimits(maxPixelCount: pixelCount, maxScanPixelCount: pixelCount * scanCount)
        _ = try decodePiecewise(data, .random, DecodeOptions(limits: enough))
    }

    @Test func `decoding zero bytes fails as empty`() throws {
        let decoder = try #require(
            JPEGDecoder().tested.makeIncrementalDecoder(for: .jpeg, options: DecodeOptions())
        )
        #expect(decodeError { try decoder.finish() }?.code == .empty)
    }
}
