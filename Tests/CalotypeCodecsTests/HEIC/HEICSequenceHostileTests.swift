import CalotypeCodecs
import CalotypeCore
import CalotypeSupport
import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing
import WorkerSupport

/// Image sequences with false claims or excessive work.
@Suite(.blocking, .inBothModes) struct HEICSequenceHostileTests {
    private static let size = HEICSequenceTests.size

    private func code(_ file: Data, _ limits: DecodeLimits = DecodeLimits()) -> DecodeError.Code? {
        let info = decodeError { try HEICDecoder().tested.info(of: file, limits: limits) }?.code
        let options = DecodeOptions(limits: limits)
        let decode = decodeError { try HEICDecoder().tested.decode(file, options: options) }?.code
        #expect(info == decode)
        return decode
    }

    private static func parts(_ count: Int = 3) throws -> HEICSequenceParts {
        try HEICSequenceParts(HEICSequenceTests.images(count))
    }

    /// A file with a changed four-byte integer at an offset after the type of a box.
    private func changing(_ box: String, at offset: Int, to value: Int) throws -> Data {
        var file = try Self.parts().data
        let place = try #require(file.firstRange(of: Data(box.utf8))).upperBound + offset
        file.replaceSubrange(place..<place + 4, with: bigEndian32(value))
        return file
    }

    // MARK: - Tables

    @Test(arguments: ["stts", "stsc", "stco", "stsz"])
    func `a table with more entries than allowed frames is refused`(table: String) throws {
        #expect(code(try changing(table, at: table == "stsz" ? 8 : 4, to: 10_001)) == .limitExceeded)
    }

    @Test(arguments: ["stsc", "stco", "stsz"])
    func `a table shorter than its entry count is corrupt`(table: String) throws {
        #expect(code(try changing(table, at: table == "stsz" ? 8 : 4, to: 9_999)) == .corrupt)
    }

    @Test func `samples without a chunk are corrupt`() throws {
        #expect(code(try changing("stco", at: 4, to: 1)) == .corrupt)
        // The first chunk of the first run, its sample count, and its description.
        #expect(code(try changing("stsc", at: 8, to: 2)) == .corrupt)
        #expect(code(try changing("stsc", at: 12, to: 0)) == .corrupt)
        #expect(code(try changing("stsc", at: 16, to: 2)) == .corrupt)
    }

    @Test func `samples beyond the end of the file are truncated`() throws {
        #expect(code(try changing("stco", at: 8, to: 0x7FFF_FFFF)) == .truncated)
        #expect(code(try changing("stsz", at: 12, to: 0x00FF_FFFF)) == .truncated)
    }

    @Test func `a huge 64-bit offset does not trap`() throws {
        var parts = try Self.parts()
        parts.tracks[0].hasLongOffsets = true
        var file = parts.data
        let place = try #require(file.firstRange(of: Data("co64".utf8))).upperBound + 8
        for high in [0x7FFF_FFFF, 0xFFFF_FFFF] {
            file.replaceSubrange(place..<place + 4, with: bigEndian32(high))
            #expect(code(file) == .corrupt)
        }
    }

    @Test func `an empty sample is corrupt`() throws {
        #expect(code(try changing("stsz", at: 12, to: 0)) == .corrupt)
    }

    @Test func `bytes shared by samples count for each sample`() throws {
        let file = try Self.parts().data
        let table = try #require(file.firstRange(of: Data("stsz".utf8))).upperBound
        var shared = file
        shared.replaceSubrange(table + 4..<table + 8, with: bigEndian32(file.count / 2))
        #expect(code(shared, DecodeLimits(maxByteCount: file.count)) == .limitExceeded)
    }

    @Test func `an invalid sync sample is corrupt`() throws {
        var parts = try Self.parts()
        parts.tracks[0].samples[1].isSync = false
        var file = parts.data
        let place = try #require(file.firstRange(of: Data("stss".utf8))).upperBound + 8
        for number in [0, 4, 0xFFFF_FFFF] {
            file.replaceSubrange(place..<place + 4, with: bigEndian32(number))
            #expect(code(file) == .corrupt)
        }
    }

    @Test func `extreme times do not trap`() throws {
        var parts = try Self.parts()
        parts.tracks[0].ticksPerSecond = 1
        for index in 0..<3 {
            parts.tracks[0].samples[index].ticks = 0xFFFF_FFFF
            parts.tracks[0].samples[index].shift = [0x7FFF_FFFF, -0x8000_0000, -1][index]
        }
        let info = try HEICDecoder().tested.info(of: parts.data, limits: DecodeLimits())
        #expect(try #require(info.animationDuration) > .seconds(1 << 32))
    }

    // MARK: - Streams

    @Test(arguments: [PixelSize(width: 80, height: 62), PixelSize(width: 82, height: 64)])
    func `a stream size that differs from the track is corrupt`(size: PixelSize) throws {
        var parts = try Self.parts()
        parts.tracks[0].size = size
        #expect(code(parts.data) == .corrupt)
    }

    /// The sequence parameter set of a track's configuration, after its four-byte length.
    private static func parameterSet(_ track: HEVCTrackParts) throws -> Data {
        let configuration = track.configuration
        let place = try #require(configuration.firstRange(of: Data([0x42, 0x01]))?.lowerBound)
        let count = Int(configuration[place - 2]) << 8 | Int(configuration[place - 1])
        return bigEndian32(count) + configuration[place...].prefix(count)
    }

    @Test func `a sample with a parameter set of another size fails when reached`() throws {
        let large = TestImages.photograph(PixelSize(width: 128, height: 128))
        let set = try Self.parameterSet(HEICSequenceParts([large]).tracks[0])
        var parts = try Self.parts()
        parts.tracks[0].samples[1].data = set + parts.tracks[0].samples[1].data
        let frames = try #require(try CodecRegistry.tested.decode(parts.data).animation)
        #expect(decodeError { try frames.decodeFrame(at: 1) }?.code == .unsupportedFeature)
        #expect(try frames.decodeFrame(at: 0).size == Self.size)
        // Repeating the track's own set is harmless.
        var same = try Self.parts()
        let own = try Self.parameterSet(same.tracks[0])
        same.tracks[0].samples[1].data = own + same.tracks[0].samples[1].data
        let image = try CodecRegistry.tested.decode(same.data)
        #expect(try #require(image.animation).decodeFrame(at: 1).size == Self.size)
    }

    @Test func `a track without a parameter set, or with two, is not supported`() throws {
        var parts = try Self.parts()
        let configuration = parts.tracks[0].configuration
        parts.tracks[0].configuration = HEIFParts.box("hvcC", configuration.dropFirst(8).prefix(22) + [0])
        #expect(code(parts.data) == .unsupportedFeature)
        let set = try Self.parameterSet(
            HEICSequenceParts([TestImages.photograph(PixelSize(width: 128, height: 128))]).tracks[0]
        )
        var payload = Data(configuration.dropFirst(8))
        payload[22] += 1
        payload += Data([0x21]) + bigEndian16(1) + set.dropFirst(2)
        parts.tracks[0].configuration = HEIFParts.box("hvcC", payload)
        #expect(code(parts.data) == .unsupportedFeature)
    }

    @Test func `a sample with more or less than one image is corrupt`() throws {
        for change in [{ (data: Data) in data + data }, { _ in bigEndian32(3) + Data([2, 1, 0]) }] {
            var parts = try Self.parts()
            parts.tracks[0].samples[0].data = change(parts.tracks[0].samples[0].data)
            #expect(decodeError { try CodecRegistry.tested.decode(parts.data) }?.code == .corrupt)
        }
    }

    @Test func `slices are counted, since each may cover the whole image`() throws {
        var parts = try Self.parts()
        let slice = bigEndian32(3) + Data([40, 1, 0])
        parts.tracks[0].samples[0].data += (0..<80).reduce(Data()) { data, _ in data + slice }
        let file = parts.data
        #expect(decodeError { try CodecRegistry.tested.decode(file) }?.code == .limitExceeded)
    }

    @Test func `a unit beyond its sample is corrupt`() throws {
        var parts = try Self.parts()
        parts.tracks[0].samples[0].data += bigEndian32(5) + Data([1])
        let file = parts.data
        #expect(decodeError { try CodecRegistry.tested.decode(file) }?.code == .corrupt)
    }

    // MARK: - Limits

    @Test func `frames count against the limit`() throws {
        let file = try Self.parts(5).data
        let pixels = Self.size.pixelCount
        #expect(code(file, DecodeLimits(maxFrameCount: 5, maxFramePixelCount: 5 * pixels)) == nil)
        #expect(code(file, DecodeLimits(maxFrameCount: 4)) == .limitExceeded)
        #expect(code(file, DecodeLimits(maxFramePixelCount: 5 * pixels - 1)) == .limitExceeded)
        #expect(code(file, DecodeLimits(maxPixelCount: pixels - 1)) == .limitExceeded)
    }

    @Test func `the coded size counts if less is shown`() throws {
        // The encoder here cannot write a conformance window, but a track can claim a smaller size.
        var parts = try HEICSequenceParts([TestImages.photograph(PixelSize(width: 256, height: 256))])
        parts.tracks[0].size = PixelSize(width: 8, height: 8)
        #expect(code(parts.data, DecodeLimits(maxPixelCount: 192 * 192)) == .limitExceeded)
    }

    @Test func `frames may share their bytes`() throws {
        var parts = try Self.parts(1)
        let sample = parts.tracks[0].samples[0]
        parts.tracks[0].samples = Array(repeating: sample, count: 2_000)
        let file = parts.data
        let info = try HEICDecoder().tested.info(of: file, limits: DecodeLimits())
        #expect(info.frameCount == 2_000 && info.animationDuration == .seconds(200))
        let frames = try #require(try CodecRegistry.tested.decode(file).animation)
        #expect(try frames.decodeFrame(at: 1_999).bytes == HEICSequenceTests.images(1)[0].bytes)
    }

    @Test func `a cancelled decode ends between two frames`() throws {
        let file = HEICInterTests.parts(.closed).data
        let frames = try #require(try CodecRegistry.tested.decode(file).animation)
        let stop = WorkStop()
        stop.stop(.cancelled)
        let error = decodeError { try stop.governing { try frames.decodeFrame(at: 5) } }
        #expect(error?.code == .cancelled)
        #expect(try frames.decodeFrame(at: 5).size == HEICInterTests.size)
    }

    @Test func `a file with neither an HEVC image nor an HEVC track is unsupported`() throws {
        var parts = try Self.parts()
        parts.tracks[0].codec = "avc1"
        #expect(code(parts.data) == .unsupportedFeature)
        parts = try Self.parts()
        parts.tracks[0].handler = "soun"
        #expect(code(parts.data) == .unsupportedFeature)
        parts = try Self.parts()
        parts.tracks[0].samples = []
        #expect(code(parts.data) == .unsupportedFeature)
    }
}
