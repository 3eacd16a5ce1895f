import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing
import WorkerSupport

/// HEVC image sequences with inter prediction, some of it from frames that are shown later.
@Suite(.blocking, .inBothModes) struct HEICInterTests {
    enum Group: CaseIterable { case closed, open }

    static let size = PixelSize(width: 64, height: 64)

    static func parts(_ group: Group) -> HEICSequenceParts {
        switch group {
        case .closed:
            let order = [0, 2, 1, 3, 5, 4, 6, 7, 8, 10, 9, 11]
            return HEICSequenceParts(
                HEVCTrackParts(stream: HEVCFixtures.closed, order: order, size: size)
            )
        case .open:
            let order = [0, 3, 2, 1, 6, 5, 4, 9, 8, 7, 11, 10]
            return HEICSequenceParts(HEVCTrackParts(stream: HEVCFixtures.open, order: order, size: size))
        }
    }

    static let samples = Group.allCases.map { group in
        DamageSample("heic inter \(group)", parts(group).data) {
            $0.roundCount = 300
            $0.seed = 8
            $0.limits = DecodeLimits()
            $0.maxFrameCount = 12
        }
    }

    private func animation(_ file: Data) throws -> Animation {
        try #require(try CodecRegistry.tested.decode(file).animation)
    }

    private func code(_ file: Data, _ limits: DecodeLimits = DecodeLimits()) -> DecodeError.Code? {
        decodeError { try HEICDecoder().tested.decode(file, options: DecodeOptions(limits: limits)) }?.code
    }

    /// Luma as in the planes: green depends least on chroma.
    private func levels(_ frame: Image, _ x: Int, _ y: Int) -> Int {
        let place = (y * frame.size.width + x) * 3
        let pixel = frame.bytes[place..<place + 3].map(Double.init)
        return Int((0.299 * pixel[0] + 0.587 * pixel[1] + 0.114 * pixel[2]).rounded())
    }

    @Test(arguments: Group.allCases)
    func `frames are returned in display order`(group: Group) throws {
        let frames = try animation(Self.parts(group).data)
        #expect(frames.frameCount == 12)
        for index in 0..<12 {
            let frame = try frames.decodeFrame(at: index)
            #expect(abs(levels(frame, 60, 4) - 20 - 6 * index) < 4, "frame \(index)")
            #expect(abs(levels(frame, 4 * index + 4, 30) - 200) < 12, "frame \(index)")
            #expect(frames.duration(ofFrameAt: index) == .milliseconds(100))
        }
    }

    @Test(arguments: Group.allCases)
    func `frames decoded out of order equal frames decoded in order`(group: Group) throws {
        let file = Self.parts(group).data
        let inOrder = try animation(file)
        let expected = try (0..<12).map { try inOrder.decodeFrame(at: $0).bytes }
        let jumping = try animation(file)
        for index in [11, 3, 6, 5, 4, 9, 0, 7, 6, 1, 10, 2, 8] {
            FrameBudget.shared.removeAll()
            #expect(try jumping.decodeFrame(at: index).bytes == expected[index], "frame \(index)")
        }
    }

    @Test func `durations are measured between displayed frames`() throws {
        var parts = Self.parts(.closed)
        // Samples 0, 2, 1 and 3 are shown at 0, 100, 250 and 300.
        parts.tracks[0].samples[1].shift = 150
        let frames = try animation(parts.data)
        let durations = (0..<3).map { frames.duration(ofFrameAt: $0) }
        #expect(durations == [.milliseconds(100), .milliseconds(150), .milliseconds(50)])
    }

    @Test func `10 bits are rounded to 8`() throws {
        let track = HEVCTrackParts(
            stream: HEVCFixtures.tenBits,
            order: [0, 1],
            size: Self.size,
            bitDepth: 10
        )
        let file = HEICSequenceParts(track).data
        #expect(try CodecRegistry.tested.info(of: file).bitDepth == 10)
        let frames = try animation(file)
        for index in 0..<2 {
            let bytes = try frames.decodeFrame(at: index).bytes
            for (x, y) in [(0, 0), (17, 9), (60, 63), (31, 40)] {
                let level = 16 * x + y / 8 * 2 + 3 * index
                let expected = UInt8((level * 255 + 511) / 1_023)
                let place = (y * 64 + x) * 3
                #expect(bytes[place..<place + 3].allSatisfy { $0 == expected }, "\(index): \(x), \(y)")
            }
        }
    }

    // MARK: - Limits and damage

    @Test func `a frame that refers to a missing one is corrupt`() throws {
        var parts = Self.parts(.closed)
        parts.tracks[0].samples.removeFirst()
        parts.tracks[0].samples[0].isSync = true
        #expect(code(parts.data) == .corrupt)
        // A false key frame.
        var lying = Self.parts(.closed)
        lying.tracks[0].samples[7].isSync = true
        let frames = try animation(lying.data)
        #expect(try frames.decodeFrame(at: 11).size == Self.size)
        FrameBudget.shared.removeAll()
        #expect(decodeError { try frames.decodeFrame(at: 7) }?.code == .corrupt)
    }

    @Test func `frames that wait for display are counted`() throws {
        // All others are shown before the one that was decoded first.
        var track = Self.parts(.closed).tracks[0]
        let sample = track.samples[0]
        func reversed(_ count: Int) -> Data {
            track.samples = (0..<count).map { index in
                var sample = sample
                sample.shift = 100 * (count - 1 - 2 * index)
                return sample
            }
            return HEICSequenceParts(track).data
        }
        #expect(code(reversed(17)) == nil)
        #expect(code(reversed(18)) == .corrupt)
        let pixels = Self.size.pixelCount
        #expect(code(reversed(17), DecodeLimits(maxPixelCount: 8 * pixels)) == nil)
        #expect(code(reversed(17), DecodeLimits(maxPixelCount: 8 * pixels - 1)) == .limitExceeded)
    }

    @Test func `the reference frames of large images count against the limit`() throws {
        let pixels = Self.size.pixelCount
        func decode(_ group: Group, _ maxPixelCount: Int) throws {
            let options = DecodeOptions(limits: DecodeLimits(maxPixelCount: maxPixelCount))
            let image = try HEICDecoder().tested.decode(Self.parts(group).data, options: options)
            _ = try #require(image.animation).decodeFrame(at: 1)
        }
        try decode(.closed, 12 * pixels)
        #expect(decodeError { try decode(.closed, 12 * pixels - 1) }?.code == .limitExceeded)
    }
}
