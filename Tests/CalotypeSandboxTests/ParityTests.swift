import CalotypeCodecs
import CalotypeCore
import CalotypeSandbox
import CalotypeSupport
import CalotypeTesting
import FoundationEssentials
import Testing

/// What workers give is what the library gives in process.
@Suite(.enabled(Workers.advice, Workers.isAvailable))
struct ParityTests {
    @Test(
        .enabled(if: SharedCorpus.isPresent, "\(SharedCorpus.advice)"),
        // Which is decoded in workers alone.
        arguments: SharedCorpus.files.filter { $0.format != ImageFormat.svg.rawValue }
    )
    func `a file of the corpus gives the same pixels, byte for byte, or the same error`(
        file: CorpusFile
    ) async throws {
        let data = try file.bytes()
        let workers = try await Workers.shared
        let here = try await workers.run { _ in Outcome(of: data, by: .standard) }
        let there = try await workers.run { Outcome(of: data, by: $0) }
        #expect(here.lines == there.lines)
    }

    @Test(arguments: [PixelFormat.gray8, .rgb8, .rgba8])
    func `every encoder gives the same bytes`(format: PixelFormat) async throws {
        let image = TestPictures.photograph(PixelSize(width: 61, height: 47), format: format)
        try await Workers.shared.run { codecs in
            for file in ImageFormat.recognized {
                guard let here = CodecRegistry.standard.encoder(for: file),
                    let there = codecs.encoder(for: file)
                else { continue }
                #expect(here.cacheIdentity == there.cacheIdentity)
                let adjustment = EncodeAdjustment(effort: 1, background: .black)
                let bytes = try here.adjusted(by: adjustment).encode(image)
                #expect(try there.adjusted(by: adjustment).encode(image) == bytes, "\(file)")
            }
        }
    }

    @Test func `what cannot be encoded is the same error`() async throws {
        let image = TestPictures.photograph(PixelSize(width: 20, height: 20))
        let error = await #expect(throws: EncodeError.self) {
            try await Workers.shared.run { codecs in
                var encoder = JPEGEncoder()
                encoder.options.byteCountMax = 10
                return try codecs.placed(encoder).encode(image)
            }
        }
        #expect(error?.code == .limitExceeded && error?.format == .jpeg)
    }

    @Test func `an image of many megabytes needs no copy, and is the same`() async throws {
        let image = TestPictures.photograph(PixelSize(width: 1_500, height: 1_000))
        let file = try JPEGEncoder().encode(image)
        let (here, there) = try await Workers.shared.run { codecs in
            (try CodecRegistry.standard.decode(file), try codecs.decode(file))
        }
        #expect(here.rgba8() == there.rgba8() && here.metadata == there.metadata)
    }

    @Test func `previews of a file that arrives are the same`() async throws {
        let encoder = JPEGEncoder(isProgressive: true)
        let file = try encoder.encode(TestPictures.photograph(PixelSize(width: 200, height: 150)))
        try await Workers.shared.run { codecs in
            let decoders = [CodecRegistry.standard, codecs].compactMap {
                $0.makeIncrementalDecoder(forHead: file.prefix(64))
            }
            #expect(decoders.count == 2)
            for start in stride(from: 0, to: file.count, by: 3_000) {
                let chunk = file.dropFirst(start).prefix(3_000)
                let previews = try decoders.map { decoder in
                    try decoder.append(chunk)
                    return try decoder.preview()
                }
                #expect(previews[0]?.image.rgba8() == previews[1]?.image.rgba8())
                #expect(previews[0]?.rowCount == previews[1]?.rowCount)
            }
            let images = try decoders.map { try $0.finish().rgba8() }
            #expect(images[0] == images[1])
        }
    }

    @Test func `an animation whose worker is gone goes on where it was`() async throws {
        let source = FakeFrameSource(frameCount: 8, size: PixelSize(width: 40, height: 30), valueStep: 20)
        let first = try Animation(source: source).decodeFrame(at: 0)
        let image = Image(
            size: first.size,
            pixelFormat: first.pixelFormat,
            pixels: first.pixels,
            animation: Animation(source: source)
        )
        let file = try GIFEncoder().encode(image)
        let workers = try await Workers.started(countMax: 1)
        let (here, there) = try await workers.run { codecs in
            (
                try #require(CodecRegistry.standard.decode(file).animation),
                try #require(codecs.decode(file).animation)
            )
        }
        #expect(there.frameCount == 8 && there.loopCount == here.loopCount && there.duration == here.duration)
        for index in [0, 1, 2, 5, 3, 7] {
            let (one, other) = try await workers.run { _ in
                (try here.decodeFrame(at: index).rgba8(), try there.decodeFrame(at: index).rgba8())
            }
            #expect(one == other, "frame \(index)")
            #expect(await workers.error(of: "null")?.code == .crashed)
        }
    }
}

/// What comes of a file, as text that can be compared.
private struct Outcome {
    var lines: [String] = []

    init(of data: Data, by codecs: CodecRegistry) {
        note { "\(try codecs.info(of: data))" }
        for options in [
            DecodeOptions(),
            DecodeOptions(target: .fit(width: 100, height: 90), frames: .first, scale: 2),
            DecodeOptions(appliesOrientation: false, convertsToSRGB: false),
            DecodeOptions(convertsToSRGB: false, keepsDepth: true),
            DecodeOptions(damage: .showsWhatIsThere),
        ] {
            note { try Self.text(of: try codecs.decode(data, options: options)) }
        }
    }

    private mutating func note(_ body: () throws -> String) {
        do { lines.append(try body()) } catch { lines.append("\(error)") }
    }

    private static func text(of image: Image) throws -> String {
        var text = "\(image.size) \(image.pixelFormat) \(image.scale) \(image.metadata) \(hash(image))"
        if case .icc(let profile) = image.colorSpace { text += " \(profile.withUnsafeBytes { xxh3($0) })" }
        guard let animation = image.animation else { return text }
        text += " \(animation.frameCount) \(animation.loopCount) \(animation.duration)"
        text += " \(animation.encodedData?.count ?? 0)"
        for index in Set([0, 1, 2, animation.frameCount - 1]).sorted() where index < animation.frameCount {
            text += " \(hash(try animation.decodeFrame(at: index)))"
        }
        return text
    }

    private static func hash(_ image: Image) -> UInt64 { image.pixels.withUnsafeBytes { xxh3($0) } }
}
