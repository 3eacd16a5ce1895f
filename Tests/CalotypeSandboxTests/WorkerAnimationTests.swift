import CalotypeCodecs
import CalotypeCore
import CalotypeSandbox
import CalotypeSupport
import CalotypeTesting
import FoundationEssentials
import HostileCodec
import TestSupport
import Testing
import WorkerSupport

/// Animations that are encoded by workers, which request the frames.
@Suite(.alone, .blocking, .enabled(Workers.advice, Workers.isAvailable)) struct WorkerAnimationTests {
    private static let encoders: [any ImageEncoder] = [
        GIFEncoder(), PNGEncoder(), WebPEncoder(), AVIFEncoder(speed: 10), JPEGXLEncoder(effort: 1),
    ]

    private static func frames(failingIndex: Int? = nil) -> FakeFrameSource {
        FakeFrameSource(
            frameCount: 3,
            size: PixelSize(width: 8, height: 8),
            valueStep: 40,
            failingIndex: failingIndex
        )
    }

    private static func animation(failingIndex: Int? = nil) throws -> Image {
        try animation(of: frames(failingIndex: failingIndex))
    }

    private static func animation(of frames: FakeFrameSource) throws -> Image {
        let first = try frames.makeDecoder().nextFrame()
        return first.replacing(animation: Animation(source: frames, budget: FrameBudget(maxByteCount: 0)))
    }

    /// The bytes, or the pixels of an AVIF, since it contains the second of its creation.
    private static func content(of data: Data, _ format: ImageFormat) throws -> Data {
        guard format == .avif else { return data }
        let animation = try #require(try CodecRegistry.standard.decode(data).animation)
        return try (0..<animation.frameCount).reduce(into: Data()) { content, index in
            content.append(contentsOf: try animation.decodeFrame(at: index).rgba8())
        }
    }

    @Test func `an animation is encoded to the same bytes as in process with one worker of each kind`()
        async throws
    {
        let workers = try await Workers.started(maxCount: 1)
        let file = try GIFEncoder().encode(Self.animation())
        try await withThrowingTaskGroup { group in
            for encoder in Self.encoders {
                let expected = try Self.content(
                    of: encoder.encode(try CodecRegistry.standard.decode(file)),
                    encoder.format
                )
                group.addTask {
                    // Its frames are decoded in workers, too.
                    let data = try await workers.run { try $0.placed(encoder).encode(try $0.decode(file)) }
                    #expect(try Self.content(of: data, encoder.format) == expected, "\(encoder.format)")
                }
            }
            try await group.waitForAll()
        }
        #expect(workers.statistics.lostCount == 0)
        #expect(workers.statistics.jobCount >= 4 * Self.encoders.count, "frames are jobs, too")
    }

    @Test func `a still fallback is encoded as in process, also after the first frame was decoded`()
        async throws
    {
        let workers = try await Workers.shared
        let size = PixelSize(width: 8, height: 8)
        let animation = Animation(source: FakeFrameSource(frameCount: 3, size: size, valueStep: 40))
        _ = try animation.decodeFrame(at: 0)
        #expect(animation.residentFrame(at: 0) != nil)
        let image = TestImages.photograph(size).replacing(animation: animation)
        let expected = try GIFEncoder().encode(image)
        #expect(try await workers.run { try $0.placed(GIFEncoder()).encode(image) } == expected)
    }

    @Test func `an animation with an empty colour profile is encoded as in process`() async throws {
        let workers = try await Workers.shared
        var metadata = ImageMetadata()
        metadata.colorSpace = .icc(Data())
        let image = try Self.animation().replacing(animation: Self.animation().animation, metadata: metadata)
        let expected = try GIFEncoder().encode(image)
        #expect(try await workers.run { try $0.placed(GIFEncoder()).encode(image) } == expected)
    }

    @Test func `a frame that cannot be decoded throws the same error as in process`() async throws {
        let workers = try await Workers.shared
        let broken = try Self.animation(failingIndex: 1)
        let error = #expect(throws: EncodeError.self) { try GIFEncoder().encode(broken) }
        let told = await #expect(throws: EncodeError.self) {
            _ = try await workers.run { try $0.placed(GIFEncoder()).encode(broken) }
        }
        #expect(error?.code == .undecodableFrame)
        #expect(told == error)
    }

    @Test func `a worker that requests frames without end or without reading them is stopped`() async throws {
        let details = [
            PixelLie.endlessFrames: "requested too many frames",
            .frameUnread: "responded before it had read its input",
        ]
        for (lie, detail) in details {
            let frames = Self.frames()
            let animation = try Self.animation(of: frames)
            #expect(animation.pixels.byteCount == PixelLie.frameByteCount)
            let workers = try await Workers.started(maxCount: 1) { $0.arguments = [lie.rawValue] }
            let error = await #expect(throws: EncodeError.self) {
                _ = try await workers.run { try $0.placed(GIFEncoder()).encode(animation) }
            }
            #expect(error?.code == .crashed)
            #expect(error?.detail == "the worker " + detail)
            #expect(frames.decodedIndices.count <= 65 * 3, "as often as all are decoded one after the other")
        }
    }

    /// Frames that each take processor time, which can be noted as a wait for something else.
    private final class SlowFrames: FrameSource {
        private final class Decoder: AnimationDecoder {
            private let base: any AnimationDecoder
            private let isWait: Bool

            init(_ base: any AnimationDecoder, isWait: Bool) {
                (self.base, self.isWait) = (base, isWait)
            }

            var nextIndex: Int { base.nextIndex }

            func nextFrame() throws -> Image {
                let begin = SuspendingClock.now
                while SuspendingClock.now - begin < .milliseconds(100) {}
                if isWait { WorkStop.noteWait(SuspendingClock.now - begin) }
                return try base.nextFrame()
            }

            func seek(toward index: Int) throws { try base.seek(toward: index) }
        }

        private let base = FakeFrameSource(frameCount: 30, size: PixelSize(width: 8, height: 8))
        private let isWait: Bool

        init(isWait: Bool) {
            self.isWait = isWait
        }

        var frameCount: Int { base.frameCount }
        var loopCount: LoopCount { base.loopCount }
        var retainedByteCount: Int { base.retainedByteCount }

        func duration(ofFrameAt index: Int) -> Duration { base.duration(ofFrameAt: index) }

        func makeDecoder() throws -> any AnimationDecoder {
            Decoder(try base.makeDecoder(), isWait: isWait)
        }
    }

    @Test(arguments: [false, true])
    func `decoding frames counts towards the time of an encode and waiting does not`(isWait: Bool)
        async throws
    {
        let workers = try await Workers.started { $0.maxEncodeDuration = .seconds(2) }
        let frames = SlowFrames(isWait: isWait)
        let first = try FakeFrameSource(frameCount: 1, size: PixelSize(width: 8, height: 8)).makeDecoder()
            .nextFrame()
        let image = first.replacing(
            animation: Animation(source: frames, budget: FrameBudget(maxByteCount: 1 << 20))
        )
        func encode() async throws -> Int {
            try await workers.run { try $0.placed(GIFEncoder()).encode(image).count }
        }
        guard !isWait else {
            #expect(try await encode() > 0)
            return
        }
        let error = await #expect(throws: EncodeError.self) { try await encode() }
        #expect(error?.code == .timedOut)
    }
}
