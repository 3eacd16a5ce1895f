import CalotypeCodecs
import CalotypeCore
import CalotypeSupport
import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing

private let picture = TestImages.photograph(PixelSize(width: 64, height: 48))

@Suite(.blocking) struct StopTests {
    /// A file, and the decoder whose loops must check for the stop.
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let decoder: any ImageDecoder
        let data: @Sendable () throws -> Data

        init(_ name: String, _ decoder: any ImageDecoder, data: @escaping @Sendable () throws -> Data) {
            (self.name, self.decoder, self.data) = (name, decoder, data)
        }

        init(_ name: String, _ decoder: any ImageDecoder, _ encoder: any ImageEncoder) {
            self.init(name, decoder) { try encoder.encode(picture) }
        }

        var testDescription: String { name }
    }

    private static var animation: Image {
        let frames = FakeFrameSource(frameCount: 3, size: picture.size)
        let first = frames.image(at: 0)
        return first.replacing(animation: Animation(source: frames, firstFrame: first))
    }

    static let cases = [
        Case("JPEG", JPEGDecoder(), JPEGEncoder()),
        Case("progressive JPEG", JPEGDecoder(), JPEGEncoder(isProgressive: true)),
        Case("PNG", PNGDecoder(), PNGEncoder()),
        Case("GIF", GIFDecoder(), GIFEncoder()),
        Case("TIFF", TIFFDecoder(), TIFFEncoder()),
        Case("JPEG XL", JPEGXLDecoder(), JPEGXLEncoder()),
        Case("BMP", BMPDecoder(), BMPEncoder()),
        Case("BMP of run lengths", BMPDecoder()) { HostileBitmap.full(side: 100) },
        Case("ICO", ICODecoder()) {
            IconParts([BMPParts(width: 1, height: 2, bitsPerPixel: 32, pixels: Data(count: 8)).bitmap]).data
        },
    ]

    private func error(_ body: () throws -> Image) throws -> DecodeError.Code? {
        do {
            _ = try body()
            return nil
        } catch let error as DecodeError {
            return error.code
        }
    }

    @Test(arguments: cases) func `a cancelled decode ends between two rows`(_ item: Case) throws {
        let data = try item.data()
        for (reason, code) in [
            (WorkStop.Reason.cancelled, DecodeError.Code.cancelled), (.timedOut, .timedOut),
        ] {
            let stop = WorkStop()
            stop.stop(reason)
            let found = try error {
                try stop.governing { try item.decoder.decode(data, options: DecodeOptions()) }
            }
            #expect(found == code)
        }
        #expect(try item.decoder.decode(data, options: DecodeOptions()).size.width > 0)
    }

    @Test(arguments: cases) func `received bytes are not decoded after a cancellation`(_ item: Case) throws {
        let data = try item.data()
        let format = try #require(item.decoder.formats.first)
        guard let decoder = item.decoder.makeIncrementalDecoder(for: format, options: DecodeOptions()) else {
            return
        }
        let stop = WorkStop()
        stop.stop(.cancelled)
        let found = try error {
            try stop.governing {
                try decoder.append(data)
                return try decoder.finish()
            }
        }
        #expect(found == .cancelled)
    }

    @Test func `an image is not scaled after a cancellation`() throws {
        let stop = WorkStop()
        stop.stop(.cancelled)
        let options = DecodeOptions(target: .fit(PixelBox(width: 10)))
        #expect(
            try error { try stop.governing { try options.image(from: picture, format: .png) } } == .cancelled
        )
    }

    @Test(arguments: cases) func `a decode through the registry has the duration of its limits`(_ item: Case)
        throws
    {
        let data = try item.data()
        for duration in [Duration.zero, .seconds(-5), .seconds(Int64.min / 2)] {
            let limits = DecodeLimits(maxDuration: duration)
            let decoded = try error {
                try CodecRegistry.standard.decode(data, options: DecodeOptions(limits: limits))
            }
            #expect(decoded == .timedOut)
            #expect(throws: DecodeError.self) { try CodecRegistry.standard.info(of: data, limits: limits) }
        }
        let patient = DecodeOptions(limits: DecodeLimits(maxDuration: .seconds(Int64.max)))
        #expect(try CodecRegistry.standard.decode(data, options: patient).size.width > 0)
    }

    @Test func `an image is not turned after a cancellation`() throws {
        let stop = WorkStop()
        stop.stop(.cancelled)
        let found = try error { try stop.governing { try picture.turnedPixels(as: .right) } }
        #expect(found == .cancelled)
    }

    @Test func `a decode takes 30 s at most by default`() {
        #expect(DecodeLimits().maxDuration == .seconds(30))
    }

    @Test func `stoppable encoding does not extend the time limit of frames`() async throws {
        struct Frames: FrameSource {
            let base = FakeFrameSource(frameCount: 3)
            var frameCount: Int { base.frameCount }
            var loopCount: LoopCount { base.loopCount }
            var retainedByteCount: Int { 0 }
            var maxDecodeDuration: Duration { .zero }
            func duration(ofFrameAt index: Int) -> Duration { base.duration(ofFrameAt: index) }
            func makeDecoder() throws -> any AnimationDecoder { try base.makeDecoder() }
        }
        let frames = Frames()
        let image = frames.base.image(at: 0).replacing(animation: Animation(source: frames))
        let pool = CodecPool(.standard)
        let error = await #expect(throws: EncodeError.self) {
            try await pool.runStoppable { try GIFEncoder().encode(image) }
        }
        #expect(error?.code == .undecodableFrame)
    }

    @Test func `the duration of a decode does not apply to frames decoded later`() throws {
        var registry = CodecRegistry()
        registry.register(GIFDecoder())
        let data = try GIFEncoder().encode(Self.animation)
        let stop = WorkStop()
        let image = try stop.governing { try registry.decode(data) }
        stop.stop(.timedOut)
        #expect(try image.animation?.decodeFrame(at: 1) != nil)
    }

    @Test(arguments: [
        Case("GIF", GIFDecoder()) { try GIFEncoder().encode(animation) },
        Case("PNG", PNGDecoder()) { try PNGEncoder().encode(animation) },
        Case("WebP", WebPDecoder()) { try WebPEncoder(isLossless: true).encode(animation) },
        Case("AVIF", AVIFDecoder()) { try AVIFEncoder().encode(animation) },
        Case("HEIC", HEICDecoder()) { try HEICSequenceParts(HEICSequenceTests.images(3)).data },
        Case("JPEG XL", JPEGXLDecoder()) { try JPEGXLEncoder().encode(animation) },
    ])
    func `frames have the duration limit of their animation's decode`(_ item: Case) throws {
        let limits = DecodeLimits(maxDuration: .zero)
        let image = try item.decoder.decode(try item.data(), options: DecodeOptions(limits: limits))
        let animation = try #require(image.animation)
        #expect(try error { try animation.decodeFrame(at: 1) } == .timedOut)
    }

    @Test func `a timeout error states a remedy`() {
        #expect(DecodeError(.timedOut).detail.contains("raise"))
        #expect(DecodeError(.refused).detail.contains("retry"))
    }
}
