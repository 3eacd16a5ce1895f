import CalotypeCodecs
import CalotypeCore
import CalotypeSandbox
import CalotypeSupport
import CalotypeTesting
import Foundation
import TestMaterial
import TestSupport
import Testing
import WorkerSupport

@Suite(.alone, .enabled(Workers.advice, Workers.isAvailable))
struct ParityTests {
    @Test(
        .enabled(if: SharedCorpus.isPresent, "\(SharedCorpus.advice)"),
        // SVG is decoded only in workers.
        arguments: SharedCorpus.files.filter { $0.format != ImageFormat.svg.rawValue }
    )
    func `a corpus file gives the same pixels or the same error as in process`(
        file: CorpusFile
    ) async throws {
        let data = try file.bytes()
        let workers = try await Workers.shared
        let here = try await workers.run { _ in Outcome(of: data, by: .standard) }
        let there = try await workers.run { Outcome(of: data, by: $0) }
        #expect(here.lines == there.lines)
    }

    @Test(arguments: [PixelFormat.gray8, .rgb8, .rgba8])
    func `every encoder gives the same bytes as in process`(format: PixelFormat) async throws {
        let picture = TestImages.photograph(PixelSize(width: 61, height: 47), format: format)
        let image = Image(
            size: picture.size,
            pixelFormat: format,
            pixels: picture.pixels,
            metadata: ImageMetadata(copyright: Copyright(artist: "Zoë", notice: "2026 Zoë"))
        )
        var metadata = image.metadata
        metadata.colorSpace = format == .gray8 ? .sRGB : .displayP3
        metadata.blocks = MetadataBlocks(
            exif: Data("MM\0*\0\0\0\u{8}\0\0\0\0\0\0".utf8),
            xmp: Data("<x:xmpmeta/>".utf8),
            iptc: Data([0x1C, 2, 80, 0, 1, 0x61])
        )
        let described = image.replacing(animation: nil, metadata: metadata)
        try await Workers.shared.run { codecs in
            for (here, there) in Self.encoders(codecs) {
                #expect(here.cacheIdentity == there.cacheIdentity)
                #expect(try there.encode(image) == here.encode(image), "\(here.format)")
                let adjustment = EncodeAdjustment(effort: 1, background: .black, keepsCopyright: true)
                let bytes = try here.adjusted(by: adjustment).encode(image)
                #expect(try there.adjusted(by: adjustment).encode(image) == bytes, "\(here.format)")
                let kept = EncodeAdjustment(effort: 1, keepsMetadata: true)
                let whole = try here.adjusted(by: kept).encode(described)
                #expect(try there.adjusted(by: kept).encode(described) == whole, "\(here.format)")
            }
        }
    }

    @Test(.enabled(if: SharedCorpus.isPresent, "\(SharedCorpus.advice)"), arguments: reencoded)
    func `a corpus file is encoded as in process by every encoder`(file: CorpusFile) async throws {
        let data = try file.bytes()
        try await Workers.shared.run { codecs in
            // Only the first frame of an animation: animations are encoded in the program.
            let options = DecodeOptions(frames: .first)
            let images = (
                try CodecRegistry.standard.decode(data, options: options),
                try codecs.decode(data, options: options)
            )
            for (here, there) in Self.encoders(codecs) {
                let results = (Outcome { try here.encode(images.0) }, Outcome { try there.encode(images.1) })
                if here.format == .heic, results.0.lines != results.1.lines {
                    try Self.expectSameColors(here.encode(images.0), there.encode(images.1))
                } else {
                    #expect(results.0.lines == results.1.lines, "\(here.format)")
                }
            }
        }
    }

    /// libheif 1.23 does not pass its settings to the encoder of an alpha channel: x265 then
    /// starts threads, which it does not in workers, and divides the channel differently.
    private static func expectSameColors(_ one: Data, _ other: Data) throws {
        let pixels = try [one, other].map { try CodecRegistry.standard.decode($0).rgba8() }
        try #require(pixels[0].count == pixels[1].count)
        let differences = zip(pixels[0], pixels[1]).map { abs(Int($0) - Int($1)) }
        let areEqual = differences.indices.allSatisfy { index in
            let isHidden = pixels[0][index | 3] == 0 || pixels[1][index | 3] == 0
            return differences[index] <= (index % 4 == 3 ? 8 : isHidden ? 255 : 0)
        }
        #expect(areEqual)
    }

    /// The smallest valid file of each format; all valid files with `make soak`.
    private static let reencoded: [CorpusFile] = {
        let sound = SharedCorpus.files.filter { $0.expected == .ok && $0.format != ImageFormat.svg.rawValue }
        guard !Soak.isRequested else { return sound }
        return Dictionary(grouping: sound, by: \.format).values.compactMap { files in
            files.min { ($0.pixelCount, $0.path) < ($1.pixelCount, $1.path) }
        }.sorted { $0.path < $1.path }
    }()

    /// Each encoder in process and in workers.
    private static func encoders(
        _ codecs: CodecRegistry
    ) -> [(here: any ImageEncoder, there: any ImageEncoder)] {
        ImageFormat.recognized.compactMap { format in
            guard let here = CodecRegistry.standard.encoder(for: format),
                let there = codecs.encoder(for: format)
            else { return nil }
            return (here, there)
        }
    }

    @Test func `an encode error keeps its code and format`() async throws {
        let image = TestImages.photograph(PixelSize(width: 20, height: 20))
        let error = await #expect(throws: EncodeError.self) {
            try await Workers.shared.run { codecs in
                var encoder = JPEGEncoder()
                encoder.options.maxByteCount = 10
                return try codecs.placed(encoder).encode(image)
            }
        }
        #expect(error?.code == .limitExceeded && error?.format == .jpeg)
    }

    @Test func `a large image is the same as in process`() async throws {
        let image = TestImages.photograph(PixelSize(width: 2_000, height: 1_500))
        let file = try JPEGEncoder().encode(image)
        try await Workers.started(maxCount: 1).run { codecs in
            let here = try CodecRegistry.standard.decode(file)
            // Each image has memory of its own, and earlier ones do not change.
            let there = try (0..<3).map { _ in try codecs.decode(file) }
            for image in there { #expect(image.rgba8() == here.rgba8() && image.metadata == here.metadata) }
        }
    }

    @Test func `previews of an arriving file are the same as in process`() async throws {
        let encoder = JPEGEncoder(isProgressive: true)
        let file = try encoder.encode(TestImages.photograph(PixelSize(width: 200, height: 150)))
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

    @Test func `a file beyond its byte limit rejects further bytes and previews`() async throws {
        let file = try PNGEncoder().encode(TestImages.photograph(PixelSize(width: 60, height: 50)))
        let options = DecodeOptions(limits: DecodeLimits(maxByteCount: file.count - 1))
        try await Workers.shared.run { codecs in
            let decoder = try #require(
                codecs.makeIncrementalDecoder(forHead: file.prefix(64), options: options)
            )
            for step in [
                { try decoder.append(file) }, { try decoder.append(Data([0])) },
                { _ = try decoder.preview() },
                { _ = try decoder.finish() },
            ] {
                let error = #expect(throws: DecodeError.self) { try step() }
                #expect(error?.code == .limitExceeded)
            }
        }
    }

    @Test func `a preview continues after another job of its worker`() async throws {
        let picture = TestImages.photograph(PixelSize(width: 60, height: 50))
        let file = try PNGEncoder().encode(picture)
        try await Workers.started(maxCount: 1).run { codecs in
            let decoder = try #require(codecs.makeIncrementalDecoder(forHead: file.prefix(64)))
            // Too few bytes for a preview; then more, a part at a time.
            for piece in [file.prefix(9), file.dropFirst(9).prefix(991), file.dropFirst(1_000)] {
                try decoder.append(piece)
                _ = try decoder.preview()
                _ = try codecs.info(of: file)
            }
            #expect(try decoder.finish().rgba8() == picture.rgba8())
            let whole = try #require(codecs.makeIncrementalDecoder(forHead: file.prefix(64)))
            try whole.append(file.prefix(2_000))
            let first = try whole.preview()
            _ = try codecs.decode(file)
            try whole.append(file.dropFirst(2_000))
            let last = try #require(try whole.preview())
            #expect(first?.rowCount ?? 0 < 50 && last.rowCount == 50)
            #expect(last.image.rgba8() == picture.rgba8())
        }
    }

    @Test func `a preview restarted in a worker is not delivered again`() async throws {
        let file = try PNGEncoder().encode(TestImages.photograph(PixelSize(width: 60, height: 50)))
        try await Workers.started(maxCount: 1).run { codecs in
            let decoder = try #require(codecs.makeIncrementalDecoder(forHead: file.prefix(64)))
            try decoder.append(file)
            #expect(try decoder.preview()?.rowCount == 50)
            _ = try codecs.info(of: file)
            try decoder.append(Data("behind the end".utf8))
            #expect(try decoder.preview() == nil)
        }
    }

    /// A GIF of eight frames, each lighter than the one before.
    private static func animation() throws -> Data {
        let source = FakeFrameSource(frameCount: 8, size: PixelSize(width: 40, height: 30), valueStep: 20)
        let image = source.image
        return try GIFEncoder().encode(image)
    }

    @Test func `later frames of an animation give no new preview`() async throws {
        let file = try Self.animation()
        try await Workers.shared.run { codecs in
            let decoder = try #require(codecs.makeIncrementalDecoder(forHead: file.prefix(64)))
            var previews: [ImagePreview] = []
            for start in stride(from: 0, to: file.count, by: 20) {
                try decoder.append(file.dropFirst(start).prefix(20))
                if let preview = try decoder.preview() { previews.append(preview) }
            }
            let whole = try decoder.finish()
            #expect(previews.map { $0.image.rgba8() } == [whole.rgba8()] && whole.animation?.frameCount == 8)
        }
    }

    @Test func `a camera raw with a TIFF preview is decoded in workers`() async throws {
        // An entry: tag, type, count, value (TIFF 6.0, section 2).
        let entries: [(UInt16, UInt16, UInt32, UInt32)] = [
            (254, 4, 1, 1), (256, 4, 1, 4), (257, 4, 1, 2), (258, 4, 1, 8), (259, 4, 1, 1), (262, 4, 1, 1),
            (273, 4, 1, 146), (277, 4, 1, 1), (278, 4, 1, 2), (279, 4, 1, 8), (50_706, 1, 4, 0x0000_0401),
        ]
        var file = Data("II".utf8)
        func append(_ value: some FixedWidthInteger) {
            withUnsafeBytes(of: value.littleEndian) { file.append(contentsOf: $0) }
        }
        append(UInt16(42))
        append(UInt32(8))
        append(UInt16(entries.count))
        for entry in entries {
            append(entry.0)
            append(entry.1)
            append(entry.2)
            append(entry.3)
        }
        append(UInt32(0))
        file += [1, 2, 3, 4, 5, 6, 7, 8]
        let image = try await Workers.started().run { [file] in try $0.decode(file) }
        #expect(
            image.format == .dng && image.pixels.withUnsafeBytes { Array($0) } == [1, 2, 3, 4, 5, 6, 7, 8]
        )
    }

    @Test func `an animation continues after its worker has crashed`() async throws {
        let file = try Self.animation()
        let workers = try await Workers.started(maxCount: 1)
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

extension CorpusFile {
    fileprivate var pixelCount: Int { (width ?? 0) * (height ?? 0) }
}

/// The results of a file as text that can be compared.
private struct Outcome {
    var lines: [String] = []

    /// The result of an encoder: the digest of its bytes, or its error.
    init(of encode: () throws -> Data) {
        note {
            let data = try encode()
            return "\(data.count) \(data.withUnsafeBytes { xxh3($0) })"
        }
    }

    init(of data: Data, by codecs: CodecRegistry) {
        note { "\(try codecs.info(of: data))" }
        for options in [
            DecodeOptions(),
            DecodeOptions(target: .fit(width: 100, height: 90), frames: .first, scale: 2),
            DecodeOptions(appliesOrientation: false, convertsToSRGB: false),
            DecodeOptions(convertsToSRGB: false, keepsDepth: true),
            DecodeOptions(damage: .allowsPartialImage),
        ] {
            note { try Self.text(of: try codecs.decode(data, options: options)) }
        }
        for head in [data, data.prefix(8_192)] {
            note { try codecs.thumbnail(in: head).map { try Self.text(of: $0) } ?? "no thumbnail" }
        }
        notePreviews(of: data, by: codecs)
    }

    /// Notes the previews after half of the bytes and after all of them.
    private mutating func notePreviews(of data: Data, by codecs: CodecRegistry) {
        guard let decoder = codecs.makeIncrementalDecoder(forHead: data.prefix(64)) else { return }
        let half = data.count / 2
        note {
            // Damage is reported elsewhere: by `append` in process, by the next preview in workers.
            var (text, last) = ("", "")
            for piece in [data.prefix(half), data.dropFirst(half)] {
                try decoder.append(piece)
                guard let preview = try decoder.preview() else { continue }
                // In workers a preview of an animation is its first frame.
                let shown = preview.image.replacing(animation: nil)
                let seen = " \(preview.rowCount) \(try Self.text(of: shown))"
                // In process it gains frames, and is delivered again.
                if seen != last { text += seen }
                last = seen
            }
            return text
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
        let indices =
            Soak.isRequested || animation.frameCount <= 8
            ? Array(0..<animation.frameCount) : [0, 1, 2, animation.frameCount - 1]
        for index in indices {
            text += " \(hash(try animation.decodeFrame(at: index)))"
        }
        return text
    }

    private static func hash(_ image: Image) -> UInt64 { image.pixels.withUnsafeBytes { xxh3($0) } }
}
