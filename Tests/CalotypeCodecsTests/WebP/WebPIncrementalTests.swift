import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestMaterial
import TestSupport
import Testing
import WorkerSupport

@Suite(.blocking, .inBothModes) struct WebPIncrementalTests {
    private func make(
        _ options: DecodeOptions = DecodeOptions(),
        of webP: any ImageDecoder = WebPDecoder().tested
    ) throws -> any IncrementalDecoder {
        try #require(webP.makeIncrementalDecoder(for: .webP, options: options))
    }

    /// Appends a file in chunks of the given sizes, repeating the last size.
    private func feed(
        _ data: Data,
        to decoder: any IncrementalDecoder,
        by sizes: () -> Int,
        _ body: (any IncrementalDecoder) throws -> Void = { _ in }
    ) throws {
        var rest = data
        while !rest.isEmpty {
            let chunk = rest.prefix(sizes())
            try decoder.append(chunk)
            try body(decoder)
            rest = rest.dropFirst(chunk.count)
        }
    }

    private func judge(_ data: Data, with decoder: any IncrementalDecoder, by size: Int) throws {
        for start in stride(from: 0, to: data.count, by: size) {
            try decoder.judge(data.dropFirst(start).prefix(size))
        }
    }

    static let options: [DecodeOptions] = [
        DecodeOptions(), DecodeOptions(target: .fit(PixelBox(width: 100))),
        DecodeOptions(target: .fit(PixelBox(width: 31, height: 90))),
        // Small enough for a scaled decode, whose fraction depends on the orientation.
        DecodeOptions(target: .fit(PixelBox(width: 12))), DecodeOptions(target: .fitBytes(900)),
        DecodeOptions(frames: .first, scale: 2),
        DecodeOptions(appliesOrientation: false), DecodeOptions(convertsToSRGB: false),
    ]

    private func expectEqual(_ own: Image, _ whole: Image, _ comment: String) {
        #expect(own.hasBytes(of: whole), "\(comment)")
        #expect(own.size == whole.size && own.pixelFormat == whole.pixelFormat && own.scale == whole.scale)
        #expect(own.metadata == whole.metadata)
        #expect(own.animation?.frameCount == whole.animation?.frameCount)
    }

    @Test(arguments: WebPFiles.all, options)
    func `the result matches an ordinary decode`(file: (name: String, data: Data), options: DecodeOptions)
        throws
    {
        let whole = try WebPDecoder().tested.decode(file.data, options: options)
        var random = SeededGenerator(seed: 3)
        let sizes: [() -> Int] = [
            { 1 }, { Int.random(in: 1...997, using: &random) }, { file.data.count },
        ]
        for size in sizes {
            let decoder = try make(options)
            try feed(file.data, to: decoder, by: size)
            expectEqual(try decoder.finish(), whole, file.name)
        }
    }

    @Test(.enabled(if: SharedCorpus.isPresent, "\(SharedCorpus.advice)"), arguments: options)
    func `the result also matches with an orientation and a profile`(options: DecodeOptions) throws {
        let source = try #require(SharedCorpus.files.first { $0.path == "jpeg/Nuke-image-p3.jpg" }).bytes()
        let profile = try #require(embeddedProfile(inJPEG: source))
        for (name, data) in WebPFiles.all {
            for orientation in [3, 6] {
                var parts = WebPParts(data)
                parts.extend(WebPFiles.size, "ICCP", profile, flags: 0x3E, isFirst: true)
                parts.chunks.append(("EXIF", exifBlock(orientation: orientation)))
                let whole = try WebPDecoder().tested.decode(parts.data, options: options)
                let decoder = try make(options)
                try feed(parts.data, to: decoder, by: { 501 }) { _ = try $0.preview() }
                expectEqual(try decoder.finish(), whole, name)
            }
        }
    }

    /// Whether the first bytes are those of an image, and the others zero.
    private static func shows(_ bytes: [UInt8], _ count: Int, of whole: Image) -> Bool {
        bytes == whole.bytes[..<count] + Array(repeating: 0, count: bytes.count - count)
    }

    @Test(arguments: WebPFiles.stills)
    func `previews show exactly the received rows`(name: String, data: Data) throws {
        let whole = try WebPDecoder().tested.decode(data, options: DecodeOptions())
        let decoder = try make()
        var counts: [Int] = []
        try feed(data, to: decoder, by: { 120 }) { decoder in
            guard let preview = try decoder.preview() else { return }
            #expect(preview.image.size == whole.size && preview.image.pixelFormat == whole.pixelFormat)
            let shown = preview.rowCount * whole.bytesPerRow
            let bytes = preview.image.bytes
            #expect(Self.shows(bytes, shown, of: whole))
            counts.append(preview.rowCount)
            #expect(try decoder.preview() == nil)
        }
        #expect(counts.count > 3 && counts == counts.sorted() && Set(counts).count == counts.count)
        #expect(counts.last == whole.size.height)
    }

    @Test(arguments: WebPFiles.stills, [90, 20])
    func `preview rows at a target are final`(file: (name: String, data: Data), width: Int) throws {
        let options = DecodeOptions(target: .fit(PixelBox(width: width)))
        let whole = try WebPDecoder().tested.decode(file.data, options: options)
        let decoder = try make(options)
        var last = 0
        try feed(file.data, to: decoder, by: { 150 }) { decoder in
            guard let preview = try decoder.preview() else { return }
            #expect(preview.image.size == whole.size)
            let shown = preview.rowCount * whole.bytesPerRow
            let bytes = preview.image.bytes
            #expect(Self.shows(bytes, shown, of: whole), "\(preview.rowCount) rows")
            last = preview.rowCount
        }
        #expect(last == whole.size.height)
    }

    @Test(arguments: WebPFiles.animations)
    func `an animation is previewed by its first frame, and is whole at the end`(
        name: String,
        data: Data
    ) throws {
        let whole = try WebPDecoder().tested.decode(data, options: DecodeOptions())
        let decoder = try make()
        var counts: [Int] = []
        var count = 0
        try feed(data, to: decoder, by: { 100 }) { decoder in
            count += 100
            guard let preview = try decoder.preview() else { return }
            counts.append(count)
            #expect(preview.rowCount == whole.size.height && preview.image.hasBytes(of: whole))
        }
        #expect(try #require(counts.first) < data.count / 2)
        let image = try decoder.finish()
        for index in 0..<6 {
            let (own, other) = (try #require(image.animation), try #require(whole.animation))
            #expect(try own.decodeFrame(at: index).hasBytes(of: other.decodeFrame(at: index)))
        }
    }

    /// In process only: a worker previews only the first frame of an arriving animation.
    @Test(arguments: WebPFiles.animations)
    func `complete frames are previewed as a growing animation`(name: String, data: Data) throws {
        let whole = try WebPDecoder().decode(data, options: DecodeOptions())
        let decoder = try make(of: WebPDecoder())
        var previews: [(count: Int, preview: ImagePreview)] = []
        var count = 0
        try feed(data, to: decoder, by: { 100 }) { decoder in
            count += 100
            if let preview = try decoder.preview() { previews.append((count, preview)) }
        }
        #expect(previews[0].preview.image.animation == nil)
        let counts = previews.map { $0.preview.image.animation?.frameCount ?? 1 }
        #expect(counts == counts.sorted() && Set(counts).count == counts.count && counts.count > 2)
        for (_, preview) in previews {
            #expect(preview.rowCount == whole.size.height)
            guard let animation = preview.image.animation else { continue }
            #expect(animation.loopCount == .times(1))
            let last = animation.frameCount - 1
            let frame = try #require(whole.animation).decodeFrame(at: last)
            #expect(try animation.decodeFrame(at: last).rgba8() == frame.rgba8())
        }
    }

    @Test(arguments: WebPFiles.all)
    func `an early end fails as truncated`(name: String, data: Data) throws {
        for count in [0, 5, 12, 25, 40, data.count / 3, data.count - 1] {
            let decoder = try make()
            try feed(data.prefix(count), to: decoder, by: { 64 })
            _ = try decoder.preview()
            #expect(decodeError { try decoder.finish() }?.code == (count == 0 ? .empty : .truncated))
        }
    }

    @Test func `limits hold while bytes arrive`() throws {
        let bomb = try make()
        let error = decodeError {
            try judge(WebPDamageTests.lossless(width: 16383, height: 16383), with: bomb, by: 1)
        }
        #expect(error?.code == .limitExceeded)
        for (_, data) in WebPFiles.all {
            let long = try make(DecodeOptions(limits: DecodeLimits(maxByteCount: 200)))
            #expect(decodeError { try judge(data, with: long, by: 50) }?.code == .limitExceeded)
            let large = try make(DecodeOptions(limits: DecodeLimits(maxPixelCount: 1000)))
            #expect(decodeError { try judge(data, with: large, by: 50) }?.code == .limitExceeded)
        }
        for (_, data) in WebPFiles.animations {
            let many = try make(DecodeOptions(limits: DecodeLimits(maxFrameCount: 5)))
            #expect(decodeError { try judge(data, with: many, by: 50) }?.code == .limitExceeded)
        }
    }

    @Test(arguments: WebPFiles.stills)
    func `a damaged bitstream fails at the end, as in one piece`(name: String, data: Data) throws {
        var random = SeededGenerator(seed: 21)
        for round in 0..<60 {
            let damaged = data.flippingBits(1, using: &random)
            let limits = DecodeOptions(limits: DecodeLimits(maxPixelCount: 1_000_000))
            var own: Image?
            let error = decodeError {
                let decoder = try make(limits)
                try feed(damaged, to: decoder, by: { 700 }) { _ = try $0.preview() }
                own = try decoder.finish()
            }
            var whole: Image?
            let expected = decodeError { whole = try WebPDecoder().tested.decode(damaged, options: limits) }
            #expect((error == nil) == (expected == nil), "seed 21, round \(round)")
            let isSame = own?.bytes == whole?.bytes
            #expect(isSame, "seed 21, round \(round)")
        }
    }

    @Test(arguments: [false, true])
    func `a large image in single-byte chunks gives the same pixels`(isLossless: Bool) throws {
        let picture = TestImages.photograph(PixelSize(width: 500, height: 350))
        let data = try WebPEncoder(quality: 95, isLossless: isLossless, effort: 2).tested.encode(picture)
        let decoder = try make()
        try feed(data, to: decoder, by: { 1 })
        #expect(
            try decoder.finish().hasBytes(of: WebPDecoder().tested.decode(data, options: DecodeOptions()))
        )
    }
}
