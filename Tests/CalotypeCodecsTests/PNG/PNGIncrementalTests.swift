import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing
import WorkerSupport

@Suite(.blocking, .inBothModes) struct PNGIncrementalTests {
    static let size = PixelSize(width: 45, height: 37)

    static let files: [(name: String, data: Data)] = PixelFormat.eightBitFormats.flatMap { format in
        [false, true].map { isInterlaced in
            do {
                let image = TestImages.photograph(size, format: format)
                let data = try PNGEncoder(isInterlaced: isInterlaced).encode(image)
                return ("\(format)\(isInterlaced ? " interlaced" : "")", data)
            } catch {
                preconditionFailure("\(format): \(error)")
            }
        }
    }

    @Test(arguments: [[(12, 13)], [(9, 16)], [(12, 13), (9, 16)], [(1, 13)]])
    func `colours match an ordinary decode`(codes: [(Int, Int)]) throws {
        var parts = PNGParts(Self.files[2].data)
        parts.insert("gAMA", bigEndian32(100_000), before: "IDAT")
        for (primaries, transfer) in codes {
            let payload = Data([UInt8(primaries), UInt8(transfer), 0, 1])
            parts.insert("cICP", payload, before: "IDAT")
        }
        for converts in [true, false] {
            let options = DecodeOptions(convertsToSRGB: converts)
            try expectEqual(decodePiecewise(parts.data, .random, options), decode(parts.data, options))
        }
    }

    @Test(arguments: files)
    func `a suggested palette with a wrong check sum is an error in chunks too`(
        file: (name: String, data: Data)
    ) throws {
        var parts = PNGParts(file.data)
        parts.insert("PLTE", Data([1, 2, 3]), before: "IDAT")
        var data = parts.data
        try expectEqual(decodePiecewise(data, .random), decode(data))
        let type = try #require(data.firstRange(of: Data("PLTE".utf8)))
        data[type.upperBound + 3] ^= 1
        let whole = #expect(throws: DecodeError.self) { try decode(data) }
        let piecewise = #expect(throws: DecodeError.self) { try decodePiecewise(data, .random) }
        #expect(whole?.code == .corrupt && piecewise?.code == .corrupt)
    }

    /// Small images have empty passes.
    @Test func `interlaced images of every small size are whole`() throws {
        for width in 1...9 {
            for height in 1...9 {
                let image = TestImages.asymmetric(PixelSize(width: width, height: height))
                let data = try PNGEncoder(isInterlaced: true).tested.encode(image)
                #expect(try decodePiecewise(data, .bytes).bytes == image.bytes, "\(image.size)")
            }
        }
    }

    @Test(arguments: files, Orientation.allCases)
    func `size and orientation match an ordinary decode`(
        file: (name: String, data: Data),
        orientation: Orientation
    ) throws {
        for place in ["IDAT", "IEND"] {
            var parts = PNGParts(file.data)
            parts.insert("eXIf", exifBlock(orientation: orientation.rawValue), before: place)
            for target in [DecodeOptions.Target.full, .fit(PixelBox(width: 20))] {
                let options = DecodeOptions(target: target, scale: 2)
                try expectEqual(decodePiecewise(parts.data, .random, options), decode(parts.data, options))
            }
        }
    }

    @Test(arguments: files.filter { $0.name.hasSuffix("interlaced") })
    func `the first pass covers the image, and each further one is nearer to it`(name: String, data: Data)
        throws
    {
        let whole = try decode(data)
        var differences: [Double] = []
        _ = try decodePiecewise(data, .random) { preview in
            guard preview.rowCount == Self.size.height else { return }
            differences.append(preview.image.difference(to: whole).mean)
        }
        #expect(differences.count > 5)
        let first = try #require(differences.first)
        #expect(first > 0 && first < 40)
        #expect(differences == differences.sorted(by: >) && differences.last == 0)
    }

    @Test func `an animation is previewed by its default image, and is whole at the end`() throws {
        for (disposal, format) in [(0, PixelFormat.rgba8), (0, .rgb8), (1, .rgb8)] {
            var parts = APNGDecoderTests.animation((disposal, 0), (0, 0), format: format)
            for hasDefaultImage in [false, true] {
                if hasDefaultImage { parts.defaultImage = parts.frames[0].picture }
                let data = try parts.data()
                var shown: [Image] = []
                let image = try decodePiecewise(data, .bytes) { shown.append($0.image) }
                try expectEqual(image, decode(data))
                let still = shown.last { $0.animation == nil }
                #expect(still?.rgba8() == parts.frames[0].picture.rgba8())
            }
        }
    }

    /// In process only: a worker previews only the first frame of an arriving animation.
    @Test func `complete frames are previewed as a growing animation`() throws {
        let parts = APNGDecoderTests.animation((1, 0), (0, 1))
        let data = try parts.data()
        let whole = try #require(try decode(data).animation)
        var counts: [Int] = []
        _ = try decodePiecewise(data, .bytes, by: .standard) { preview in
            guard let animation = preview.image.animation else { return #expect(counts.isEmpty) }
            counts.append(animation.frameCount)
            #expect(animation.loopCount == .times(1))
            for index in 0..<animation.frameCount {
                let (frame, other) = (try animation.decodeFrame(at: index), try whole.decodeFrame(at: index))
                #expect(frame.rgba8() == other.rgba8())
            }
        }
        #expect(counts == Array(2..<whole.frameCount))
    }

    @Test func `a previewed animation is not followed by a still of its first frame`() throws {
        let data = try APNGDecoderTests.animation((1, 0), (0, 1)).data()
        let codecs = CodecRegistry.tested
        let decoder = try #require(codecs.makeIncrementalDecoder(forHead: data))
        try decoder.append(data.dropLast())
        let preview = try #require(try decoder.preview())
        // A worker previews only the first frame of an arriving animation.
        #expect((preview.image.animation == nil) == (codecs.place != nil))
        #expect(try decoder.preview() == nil)
    }

    /// With valid check sums, so that the damage in the pixels is detected.
    @Test(arguments: files)
    func `a damaged stream has the outcome of an ordinary decode`(name: String, data: Data) throws {
        var random = SeededGenerator(seed: 31)
        for round in 0..<100 {
            var parts = PNGParts(data)
            parts.chunks[1].payload = parts.chunks[1].payload.flippingBits(1, using: &random)
            try expectSameOutcome(parts.data, comment: "seed 31, round \(round)")
        }
        for count in [1, 3, 5, 20] {
            var parts = PNGParts(data)
            parts.chunks[1].payload.removeLast(count)
            try expectSameOutcome(parts.data, comment: "without \(count) bytes")
        }
    }

    @Test func `pixels that end before the last row are an error`() throws {
        let short = PNGParts(
            try PNGEncoder().tested.encode(TestImages.asymmetric(PixelSize(width: 9, height: 8)))
        )
        for isInterlaced in [false, true] {
            let image = TestImages.asymmetric(PixelSize(width: 9, height: 9))
            var parts = PNGParts(try PNGEncoder(isInterlaced: isInterlaced).tested.encode(image))
            parts.chunks[1] = short.chunks[1]
            #expect(decodeError { try decodePiecewise(parts.data, .bytes) }?.code == .corrupt)
        }
    }

    @Test func `limits hold while bytes arrive`() throws {
        var parts = PNGParts(Self.files[0].data)
        parts.insert("acTL", bigEndian32(3) + bigEndian32(0), before: "IDAT")
        let pixelCount = Self.size.pixelCount
        let limits = [
            DecodeLimits(maxPixelCount: pixelCount - 1),
            DecodeLimits(maxFrameCount: 2),
            DecodeLimits(maxFramePixelCount: 3 * pixelCount - 1),
            DecodeLimits(maxByteCount: parts.data.count - 1),
        ]
        for limit in limits {
            let options = DecodeOptions(limits: limit)
            let decoder = try #require(
                PNGDecoder().tested.makeIncrementalDecoder(for: .png, options: options)
            )
            #expect(decodeError { try decoder.judge(parts.data) }?.code == .limitExceeded)
            // The error persists.
            #expect(decodeError { try decoder.preview() }?.code == .limitExceeded)
            #expect(decodeError { try decoder.finish() }?.code == .limitExceeded)
        }
        let enough = DecodeLimits(
            maxPixelCount: pixelCount,
            maxFrameCount: 3,
            maxFramePixelCount: 3 * pixelCount
        )
        _ = try decodePiecewise(parts.data, .bytes, DecodeOptions(limits: enough))
    }

    @Test func `a header with an excessive size is refused before anything is allocated`() throws {
        let bomb = try LimitTests.png(width: 2_000_000_000, height: 2_000_000_000)
        #expect(decodeError { try decodePiecewise(bomb, .bytes) }?.code == .limitExceeded)
    }

    @Test func `decoding zero bytes fails as empty`() throws {
        let decoder = try #require(
            PNGDecoder().tested.makeIncrementalDecoder(for: .png, options: DecodeOptions())
        )
        #expect(try decoder.preview() == nil)
        #expect(decodeError { try decoder.finish() }?.code == .empty)
    }
}
