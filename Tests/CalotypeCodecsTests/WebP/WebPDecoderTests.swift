import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestMaterial
import TestSupport
import Testing
import WorkerSupport

@Suite(.blocking, .inBothModes) struct WebPDecoderTests {
    private func info(_ data: Data) throws -> ImageInfo {
        try WebPDecoder().tested.info(of: data, limits: DecodeLimits())
    }

    private func decode(_ data: Data, _ options: DecodeOptions = DecodeOptions()) throws -> Image {
        try WebPDecoder().tested.decode(data, options: options)
    }

    @Test(arguments: WebPFiles.stills)
    func `the pixel format follows the content`(name: String, data: Data) throws {
        let expected: PixelFormat = name.hasSuffix("alpha") ? .rgba8 : .rgb8
        let info = try info(data)
        #expect(info.pixelFormat == expected && info.hasAlpha == (expected == .rgba8))
        #expect(info.frameCount == 1 && info.loopCount == nil && info.animationDuration == nil)
        let image = try decode(data)
        #expect(image.pixelFormat == expected && image.size == WebPFiles.size && image.animation == nil)
        #expect(image.format == .webP)
    }

    @Test(arguments: [0, 0x10, 0x3E])
    func `the flags of the header are ignored`(flags: Int) throws {
        let alphas = try WebPFiles.stills.map { file in
            var parts = WebPParts(file.data)
            parts.extend(WebPFiles.size, "XMP ", Data("x".utf8), flags: flags, isFirst: false)
            let info = try info(parts.data)
            #expect(try decode(parts.data).hasBytes(of: decode(file.data)))
            #expect(!info.hasColorProfile && info.orientation == .up && info.frameCount == 1)
            return info.hasAlpha
        }
        #expect(alphas == [false, false, true, true])
    }

    // MARK: - Orientation and colour

    @Test(arguments: Orientation.allCases, [false, true])
    func `an EXIF chunk turns the image, with and without the prefix of JPEG`(
        orientation: Orientation,
        hasPrefix: Bool
    ) throws {
        let picture = TestImages.asymmetric(PixelSize(width: 37, height: 23))
        var parts = WebPParts(try WebPEncoder(isLossless: true).tested.encode(picture))
        let prefix = hasPrefix ? Data("Exif\0\0".utf8) : Data()
        let block = prefix + exifBlock(orientation: orientation.rawValue, isLittleEndian: hasPrefix)
        parts.extend(picture.size, "EXIF", block, flags: 8, isFirst: false)
        #expect(try info(parts.data).orientation == orientation)
        var png = PNGParts(try PNGEncoder().tested.encode(picture))
        png.insert("eXIf", exifBlock(orientation: orientation.rawValue), before: "IDAT")
        let shown = try PNGDecoder().tested.decode(png.data, options: DecodeOptions())
        #expect(try decode(parts.data).hasBytes(of: shown))
        #expect(try decode(parts.data).size == shown.size)
        let declined = try decode(parts.data, DecodeOptions(appliesOrientation: false))
        #expect(declined.hasBytes(of: picture) && declined.metadata.orientation == orientation)
    }

    @Test(.enabled(if: SharedCorpus.isPresent, "\(SharedCorpus.advice)"), arguments: WebPFiles.all)
    func `an embedded profile is converted as in a PNG, unless declined`(name: String, data: Data)
        throws
    {
        let file = try #require(SharedCorpus.files.first { $0.path == "jpeg/Nuke-image-p3.jpg" }).bytes()
        let profile = try #require(embeddedProfile(inJPEG: file))
        var parts = WebPParts(data)
        parts.extend(WebPFiles.size, "ICCP", profile, flags: 0x32, isFirst: true)
        #expect(try info(parts.data).hasColorProfile)
        let plain = try frames(try decode(data))
        let declined = try frames(try decode(parts.data, DecodeOptions(convertsToSRGB: false)))
        #expect(zip(declined, plain).filter { !$0.hasBytes(of: $1) }.isEmpty)
        let converted = try frames(try decode(parts.data))
        #expect(converted.filter { !$0.metadata.hasColorProfile }.isEmpty)
        // The same pixels with the same profile, converted by another codec.
        for (frame, stored) in zip(converted, plain) {
            var png = PNGParts(try PNGEncoder(compressionLevel: 1).tested.encode(stored))
            png.insert("iCCP", storedProfile(profile), before: "IDAT")
            let expected = try PNGDecoder().tested.decode(png.data, options: DecodeOptions())
            #expect(!expected.hasBytes(of: stored))
            #expect(frame.hasBytes(of: expected))
        }
    }

    private func frames(_ image: Image) throws -> [Image] {
        guard let animation = image.animation else { return [image] }
        return try (0..<animation.frameCount).map { try animation.decodeFrame(at: $0) }
    }

    // MARK: - Targets

    @Test(arguments: [
        DecodeOptions.Target.full, .fit(PixelBox(width: 20, height: 20)), .fit(PixelBox(height: 25)),
        .fit(PixelBox(width: 9000)), .fill(PixelBox(width: 30, height: 10)),
        .fill(PixelBox(width: 7, height: 7)),
        .fit(PixelBox(width: 1, height: 1)), .fitBytes(2000), .fitBytes(1),
    ])
    func `the decoded size follows the target's rule for every file`(target: DecodeOptions.Target) throws {
        for (name, data) in WebPFiles.all {
            let image = try decode(data, DecodeOptions(target: target, scale: 3))
            let frameCount = name.hasPrefix("animated") ? 6 : 1
            #expect(image.size == target.resultSize(for: WebPFiles.size, frameCount: frameCount), "\(name)")
            #expect(image.scale == 3)
        }
    }

    @Test func `a box applies after the orientation`() throws {
        var parts = WebPParts(WebPFiles.stills[0].data)
        parts.extend(WebPFiles.size, "EXIF", exifBlock(orientation: 6), flags: 8, isFirst: false)
        var options = DecodeOptions(target: .fit(PixelBox(width: 30)))
        #expect(try decode(parts.data, options).size == PixelSize(width: 30, height: 39))
        options.appliesOrientation = false
        #expect(try decode(parts.data, options).size == PixelSize(width: 30, height: 23))
    }

    @Test(
        arguments: [210, 150, 101, 100, 60, 37, 20, 9],
        [(ResamplingLight.encoded, 1.2, 48.0), (.linear, 2.2, 72)]
    )
    func `a scaled decode is near a full decode with resampling`(
        width: Int,
        mixed: (light: ResamplingLight, mean: Double, worst: Double)
    ) throws {
        let size = PixelSize(width: 421, height: 303)
        let options = DecodeOptions(target: .fit(PixelBox(width: width)), light: mixed.light)
        for (format, isLossless) in [
            (PixelFormat.rgb8, false), (.rgba8, false), (.rgb8, true), (.rgba8, true),
        ] {
            let picture = TestImages.photograph(size, format: format)
            let file = try WebPEncoder(isLossless: isLossless, effort: 1).tested.encode(picture)
            let small = try decode(file, options)
            let difference = small.visibleDifference(
                to: try Resampler.resize(try decode(file), to: small.size, light: mixed.light)
            )
            // The scaled decode itself averages levels.
            #expect(
                difference.mean < mixed.mean && difference.worst < mixed.worst,
                "\(format) \(isLossless) \(difference)"
            )
        }
    }

    @Test func `a lossless WebP is a graphic, a lossy one a photograph`() throws {
        let picture = TestImages.photograph(PixelSize(width: 90, height: 60))
        for (isLossless, light) in [(true, ResamplingLight.encoded), (false, .linear)] {
            let file = try WebPEncoder(isLossless: isLossless).tested.encode(picture)
            let target = DecodeOptions.Target.fit(PixelBox(width: 31))
            let small = try decode(file, DecodeOptions(target: target))
            #expect(small.hasBytes(of: try decode(file, DecodeOptions(target: target, light: light))))
            // A later resize mixes the same.
            let whole = try decode(file)
            let resized = try Resampler.resize(whole, to: small.size)
            #expect(resized.hasBytes(of: try Resampler.resize(whole, to: small.size, light: light)))
        }
    }

    // MARK: - Container

    @Test func `the first bytes suffice to describe a still`() throws {
        for (_, data) in WebPFiles.stills {
            let whole = try info(data)
            #expect(try info(data.prefix(data.count / 2)) == whole)
        }
        let head = WebPFiles.stills[0].data.prefix(30)
        #expect(try info(head).size == WebPFiles.size)
        #expect(decodeError { try info(head.prefix(29)) }?.code == .truncated)
    }

    @Test func `an unknown chunk is ignored at any position`() throws {
        for (_, data) in WebPFiles.stills {
            let parts = WebPParts(data)
            for index in 0...parts.chunks.count {
                var longer = parts
                longer.chunks.insert(("abcd", Data([1, 2, 3])), at: index)
                longer.chunks.insert(("VP8X", WebPParts.canvas(WebPFiles.size, flags: 0x10)), at: 0)
                #expect(try decode(longer.data).hasBytes(of: decode(data)), "at \(index)")
            }
        }
    }

    @Test func `a truncated last chunk of a still is ignored`() throws {
        var parts = WebPParts(WebPFiles.stills[0].data)
        parts.chunks.append(("XMP ", Data(repeating: 65, count: 50)))
        let cut = parts.data.prefix(parts.data.count - 20)
        let claimed = Data("RIFF".utf8) + littleEndian(cut.count - 8, 4) + cut.dropFirst(8)
        #expect(try decode(claimed).bytes == decode(WebPFiles.stills[0].data).bytes)
    }

    @Test func `an image that differs in size from the canvas is corrupt`() {
        var parts = WebPParts(WebPFiles.stills[0].data)
        parts.extend(PixelSize(width: 107, height: 82), "XMP ", Data(), flags: 0, isFirst: false)
        #expect(decodeError { try decode(parts.data) }?.code == .corrupt)
    }
}

extension Image {
    /// Whether all bytes are equal; a failure does not print them.
    func hasBytes(of other: Image) -> Bool { bytes == other.bytes }

    /// The mean and the maximum channel difference, with colours weighted by alpha.
    func visibleDifference(to other: Image) -> (mean: Double, worst: Double) {
        let (own, others) = ([UInt8](rgba8()), [UInt8](other.rgba8()))
        let differences = own.indices.map { index -> Double in
            let shows = index % 4 == 3 ? 1 : Double(own[index / 4 * 4 + 3]) / 255
            return shows * abs(Double(own[index]) - Double(others[index]))
        }
        return (differences.reduce(0, +) / Double(differences.count), differences.max() ?? 0)
    }
}
