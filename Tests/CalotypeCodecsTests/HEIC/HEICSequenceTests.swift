import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing
import WorkerSupport

@Suite(.blocking, .inBothModes) struct HEICSequenceTests {
    static let size = PixelSize(width: 80, height: 64)

    static func images(_ count: Int, _ format: PixelFormat = .rgb8) -> [Image] {
        (0..<count).map { TestImages.photograph(size, format: format, seed: UInt64($0 + 1)) }
    }

    private func animation(_ file: Data, _ options: DecodeOptions = DecodeOptions()) throws -> Animation {
        try #require(try CodecRegistry.tested.decode(file, options: options).animation)
    }

    @Test(arguments: PixelFormat.eightBitFormats)
    func `each frame has the pixels and duration of its sample`(format: PixelFormat) throws {
        let images = Self.images(5, format)
        var parts = try HEICSequenceParts(images)
        for index in 0..<5 { parts.tracks[0].samples[index].ticks = 20 + 10 * index }
        let file = parts.data
        #expect(ImageFormat(sniffing: file) == .heic)
        let image = try CodecRegistry.tested.decode(file)
        #expect(image.bytes == images[0].bytes && image.format == .heic)
        let animation = try #require(image.animation)
        #expect(animation.frameCount == 5 && animation.loopCount == .infinite)
        for index in 0..<5 {
            let frame = try animation.decodeFrame(at: index)
            #expect(frame.pixelFormat == format)
            #expect(frame.bytes == images[index].bytes, "frame \(index)")
            #expect(animation.duration(ofFrameAt: index) == .milliseconds(20 + 10 * index))
        }
        let info = try CodecRegistry.tested.info(of: file)
        #expect(info.size == Self.size && info.frameCount == 5 && info.loopCount == .infinite)
        #expect(info.animationDuration == .milliseconds(200))
        #expect(info.pixelFormat == format && info.hasAlpha == (format == .rgba8))
    }

    @Test(arguments: [PixelFormat.gray8, .rgb8])
    func `a lossy frame is near the still of the same image`(format: PixelFormat) throws {
        let images = Self.images(2, format)
        let frames = try animation(try HEICSequenceParts(images, isLossless: false).data)
        for index in 0..<2 {
            let still = try CodecRegistry.tested.decode(HEICEncoder().tested.encode(images[index]))
            let frame = try frames.decodeFrame(at: index)
            let differences = zip(frame.bytes, still.bytes).map { abs(Int($0) - Int($1)) }
            let mean = Double(differences.reduce(0, +)) / Double(differences.count)
            // Chroma is upsampled smoothly; libheif repeats it.
            #expect(mean < (format == .gray8 ? 0.5 : 3), "frame \(index): \(mean)")
        }
    }

    @Test func `missing and short durations become 100 ms`() throws {
        var parts = try HEICSequenceParts(Self.images(3))
        for (index, ticks) in [10, 0, 11].enumerated() { parts.tracks[0].samples[index].ticks = ticks }
        let frames = try animation(parts.data)
        let durations = (0..<3).map { frames.duration(ofFrameAt: $0) }
        #expect(durations == [.milliseconds(100), .milliseconds(100), .milliseconds(11)])
        parts.tracks[0].ticksPerSecond = 0
        #expect(try animation(parts.data).duration(ofFrameAt: 2) == .milliseconds(100))
    }

    @Test func `the edit list sets the loop count`() throws {
        var parts = try HEICSequenceParts(Self.images(2))
        func loops(_ duration: Int, _ edit: (Int, Bool)?) throws -> LoopCount {
            parts.tracks[0].duration = duration
            parts.tracks[0].edit = edit
            let file = parts.data
            let count = try CodecRegistry.tested.info(of: file).loopCount
            #expect(try animation(file).loopCount == count)
            return try #require(count)
        }
        #expect(try loops(200, nil) == .infinite)
        #expect(try loops(200, (200, false)) == .times(1))
        #expect(try loops(600, (200, true)) == .times(3))
        #expect(try loops(Int(UInt32.max), (200, true)) == .infinite)
    }

    @Test func `samples are found in any table layout`() throws {
        let images = Self.images(5)
        for chunk in [1, 2, 3, 5, 9] {
            for hasLongOffsets in [false, true] {
                var parts = try HEICSequenceParts(images)
                parts.tracks[0].samplesPerChunk = chunk
                parts.tracks[0].hasLongOffsets = hasLongOffsets
                #expect(try animation(parts.data).decodeFrame(at: 4).bytes == images[4].bytes)
            }
        }
    }

    @Test func `units may have two-byte lengths`() throws {
        let images = Self.images(2)
        var parts = try HEICSequenceParts(images)
        // The byte of the configuration with the length size, after the box header.
        parts.tracks[0].configuration[8 + 21] &= 0xFC
        parts.tracks[0].configuration[8 + 21] |= 1
        for index in 0..<2 {
            var (rest, short) = (parts.tracks[0].samples[index].data, Data())
            while !rest.isEmpty {
                let count = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
                short += rest.dropFirst(2).prefix(2 + count)
                rest = Data(rest.dropFirst(4 + count))
            }
            parts.tracks[0].samples[index].data = short
        }
        #expect(try animation(parts.data).decodeFrame(at: 1).bytes == images[1].bytes)
    }

    // MARK: - Which track

    @Test(arguments: ["thmb", "auxl"]) func `tracks that refer to others are ignored`(kind: String) throws {
        let images = Self.images(3)
        var parts = try HEICSequenceParts(images)
        var other = try HEICSequenceParts(Self.images(2, .gray8)).tracks[0]
        other.identifier = 2
        other.references = [(kind, 1)]
        parts.tracks.insert(other, at: 0)
        #expect(try animation(parts.data).decodeFrame(at: 2).bytes == images[2].bytes)
    }

    @Test func `an auxiliary track other than alpha is ignored`() throws {
        var parts = try HEICSequenceParts(Self.images(2, .rgba8))
        parts.tracks[1].entryBoxes = HEIFParts.fullBox("auxi", Data("urn:mpeg:hevc:2015:auxid:2\0".utf8))
        #expect(try animation(parts.data).decodeFrame(at: 1).pixelFormat == .rgb8)
    }

    @Test func `alpha that does not match the frames is unsupported`() throws {
        var fewer = try HEICSequenceParts(Self.images(3, .rgba8))
        fewer.tracks[1].samples.removeLast()
        #expect(code(fewer.data) == .unsupportedFeature)
        let small = PixelSize(width: 64, height: 64)
        var other = try HEICSequenceParts(Self.images(2, .rgba8))
        let pictures = (1...2).map { TestImages.photograph(small, format: .gray8, seed: $0) }
        let track = try HEICSequenceParts(pictures).tracks[0]
        other.tracks[1].configuration = track.configuration
        (other.tracks[1].size, other.tracks[1].samples) = (small, track.samples)
        #expect(code(other.data) == .unsupportedFeature)
    }

    private func code(_ file: Data) -> DecodeError.Code? {
        decodeError { try HEICDecoder().tested.decode(file, options: DecodeOptions()) }?.code
    }

    @Test func `a single frame is a still`() throws {
        let images = Self.images(1)
        let file = try HEICSequenceParts(images).data
        let image = try CodecRegistry.tested.decode(file)
        #expect(image.animation == nil && image.bytes == images[0].bytes)
        let info = try CodecRegistry.tested.info(of: file)
        #expect(info.frameCount == 1 && info.loopCount == nil && info.animationDuration == nil)
    }

    @Test func `the first frame alone is a still`() throws {
        let images = Self.images(3)
        let file = try HEICSequenceParts(images).data
        let image = try CodecRegistry.tested.decode(file, options: DecodeOptions(frames: .first))
        #expect(image.animation == nil && image.bytes == images[0].bytes)
    }

    // MARK: - Beside a still image

    private func both(_ still: Image, _ images: [Image]) throws -> HEICSequenceParts {
        var parts = try HEICSequenceParts(images)
        parts.still = try HEICDecoderTests.parts(still)
        return parts
    }

    @Test func `a still image is the image, and the frames are the animation`() throws {
        let (still, images) = (TestImages.photograph(Self.size, seed: 9), Self.images(3))
        let file = try both(still, images).data
        let image = try CodecRegistry.tested.decode(file)
        #expect(image.bytes == still.bytes)
        let frames = try #require(image.animation)
        for index in 0..<3 { #expect(try frames.decodeFrame(at: index).bytes == images[index].bytes) }
        #expect(try CodecRegistry.tested.info(of: file).frameCount == 3)
        let first = try CodecRegistry.tested.decode(file, options: DecodeOptions(frames: .first))
        #expect(first.bytes == still.bytes && first.animation == nil)
    }

    @Test func `frames that differ in size from the still image are ignored`() throws {
        let still = TestImages.photograph(PixelSize(width: 64, height: 64), seed: 9)
        let file = try both(still, Self.images(3)).data
        let image = try CodecRegistry.tested.decode(file)
        #expect(image.bytes == still.bytes && image.animation == nil)
        #expect(try CodecRegistry.tested.info(of: file).frameCount == 1)
    }

    @Test func `a file without a sequence brand is its still image`() throws {
        let still = TestImages.photograph(Self.size, seed: 9)
        var parts = try both(still, Self.images(3))
        parts.brand = "heic"
        #expect(try CodecRegistry.tested.decode(parts.data).animation == nil)
    }

    @Test func `the first image is decoded if the sequence is damaged`() throws {
        let still = TestImages.photograph(Self.size, seed: 9)
        var parts = try both(still, Self.images(3))
        parts.tracks[0].configuration = Data()
        let file = parts.data
        #expect(code(file) == .corrupt)
        let first = try CodecRegistry.tested.decode(file, options: DecodeOptions(frames: .first))
        #expect(first.bytes == still.bytes)
    }

    // MARK: - Size, orientation and colour

    @Test func `frames are resized to the target of the decode`() throws {
        let options = DecodeOptions(target: .fit(PixelBox(width: 20)))
        let file = try HEICSequenceParts(Self.images(3)).data
        let image = try CodecRegistry.tested.decode(file, options: options)
        #expect(image.size == PixelSize(width: 20, height: 16))
        #expect(try #require(image.animation).decodeFrame(at: 2).size == image.size)
    }

    @Test(
        arguments: [
            ([1, 0, 0, 1], Orientation.up), ([-1, 0, 0, 1], .upMirrored), ([-1, 0, 0, -1], .down),
            ([1, 0, 0, -1], .downMirrored), ([0, 1, 1, 0], .leftMirrored), ([0, 1, -1, 0], .right),
            ([0, -1, -1, 0], .rightMirrored), ([0, -1, 1, 0], .left), ([2, 0, 0, 2], .up),
            ([0, 0, 0, 0], .up),
        ]
    )
    func `the matrix of the track turns and mirrors`(matrix: [Int], orientation: Orientation) throws {
        let images = (0..<2).map { _ in TestImages.asymmetric(Self.size) }
        var parts = try HEICSequenceParts(images)
        parts.tracks[0].matrix = matrix
        let image = try CodecRegistry.tested.decode(parts.data)
        #expect(image.size == orientation.applied(to: Self.size) && image.metadata.orientation == .up)
        #expect(try CodecRegistry.tested.info(of: parts.data).size == image.size)
        // The source position of each pixel centre under the standard's matrix.
        let shown = image.bytes
        let (a, b, c, d) = (matrix[0], matrix[1], matrix[2], matrix[3])
        guard orientation != .up else {
            #expect(shown == images[0].bytes)
            return
        }
        for (x, y) in [(0, 0), (5, 3), (79, 63), (20, 1)] {
            var (column, row) = (a * x + c * y, b * x + d * y)
            if a + c < 0 { column += image.size.width - 1 }
            if b + d < 0 { row += image.size.height - 1 }
            let (from, to) = ((y * Self.size.width + x) * 3, (row * image.size.width + column) * 3)
            #expect(shown[to..<to + 3] == images[0].bytes[from..<from + 3], "\(x), \(y)")
        }
    }

    @Test func `coded colour spaces are converted`() throws {
        let images = Self.images(2)
        var parts = try HEICSequenceParts(images)
        // Display P3 primaries, RGB.
        let codes = Data("nclx".utf8) + bigEndian16(12) + bigEndian16(13) + bigEndian16(0) + Data([0x80])
        parts.tracks[0].entryBoxes = HEIFParts.box("colr", codes)
        var still = try HEICDecoderTests.parts(images[1])
        let index = try #require(still.properties.firstIndex { $0.dropFirst(4).starts(with: "colr".utf8) })
        still.properties[index] = HEIFParts.box("colr", codes)
        let expected = try HEICDecoder().tested.decode(still.data, options: DecodeOptions())
        #expect(expected.bytes != images[1].bytes)
        #expect(try animation(parts.data).decodeFrame(at: 1).bytes == expected.bytes)
        let plain = try animation(parts.data, DecodeOptions(convertsToSRGB: false))
        #expect(try plain.decodeFrame(at: 1).bytes == images[1].bytes)
    }

    @Test func `an embedded profile is converted`() throws {
        let images = Self.images(2)
        var parts = try HEICSequenceParts(images)
        let profile = HEIFParts.box("colr", Data("prof".utf8) + TestProfiles.swapped)
        parts.tracks[0].entryBoxes += profile
        var still = try HEICDecoderTests.parts(images[1])
        still.add(profile)
        let expected = try HEICDecoder().tested.decode(still.data, options: DecodeOptions())
        #expect(expected.bytes != images[1].bytes)
        let image = try CodecRegistry.tested.decode(parts.data)
        #expect(try #require(image.animation).decodeFrame(at: 1).bytes == expected.bytes)
        #expect(image.metadata.hasColorProfile)
        #expect(try CodecRegistry.tested.info(of: parts.data).hasColorProfile)
    }

    @Test func `the dynamic range is reported`() throws {
        var parts = try HEICSequenceParts(Self.images(2))
        let codes = Data("nclx".utf8) + bigEndian16(9) + bigEndian16(16) + bigEndian16(0) + Data([0x80])
        parts.tracks[0].entryBoxes = HEIFParts.box("colr", codes)
        #expect(try CodecRegistry.tested.info(of: parts.data).dynamicRange == .pq)
    }
}
