import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing
import WorkerSupport

@testable import CalotypeCodecs

/// Colours of wider RGB spaces than sRGB, kept on request.
@Suite(.blocking, .inBothModes) struct WideGamutTests {
    private static let wide = DecodeOptions(keepsWideGamut: true)
    private static let size = PixelSize(width: 40, height: 30)

    private var codecs: CodecRegistry { .tested }

    /// Saturated colours, most of them outside sRGB when read as Display P3.
    private static func image(_ space: ColorSpace, _ format: PixelFormat = .rgb8) -> Image {
        let photograph = TestImages.photograph(size, format: format)
        let bytes = photograph.pixels.withUnsafeBytes { unsafe [UInt8]($0) }
        let count = format.bytesPerPixel
        let pixels = unsafe PixelBuffer(byteCount: bytes.count) { target in
            for index in bytes.indices {
                let isAlpha = count == 4 && index % 4 == 3
                unsafe target[index] = isAlpha ? bytes[index] : bytes[index] > 127 ? 240 : 20
            }
        }
        return Image(
            size: size,
            pixelFormat: format,
            pixels: pixels,
            metadata: ImageMetadata(colorSpace: space)
        )
    }

    private static func largestDifference(_ left: Image, _ right: Image) -> Int {
        zip(left.rgba8(), right.rgba8()).map { abs(Int($0) - Int($1)) }.max() ?? 0
    }

    private static let encoders: [any ImageEncoder] = [
        JPEGEncoder(quality: 100, chromaSubsampling: .yuv444), PNGEncoder(), WebPEncoder(isLossless: true),
        AVIFEncoder(isLossless: true, speed: 10), JPEGXLEncoder(isLossless: true, effort: 3), TIFFEncoder(),
    ]

    @Test(arguments: encoders)
    func `Display P3 survives encoding and decoding`(encoder: any ImageEncoder) throws {
        let image = Self.image(.displayP3)
        let data = try encoder.tested.encode(image)
        let kept = try codecs.decode(data, options: Self.wide)
        #expect(kept.colorSpace == .displayP3)
        #expect(Self.largestDifference(kept, image) <= 4)
        let converted = try codecs.decode(data)
        #expect(converted.colorSpace == .sRGB)
        #expect(Self.largestDifference(converted, try image.convertedToSRGB()) <= 6)
        // Saturated colours of P3 differ when they are shown as sRGB.
        #expect(Self.largestDifference(converted, image) > 15)
    }

    @Test(arguments: [JPEGEncoder(quality: 80), WebPEncoder(), PNGEncoder()] as [any ImageEncoder])
    func `a written profile has less than a kilobyte`(encoder: any ImageEncoder) throws {
        let plain = try encoder.tested.encode(Self.image(.sRGB))
        let wide = try encoder.tested.encode(Self.image(.displayP3))
        #expect((300..<1_000).contains(wide.count - plain.count), "\(wide.count - plain.count)")
        #expect(try encoder.tested.encode(Self.image(.displayP3)) == wide, "the bytes do not change")
    }

    @Test(arguments: [GIFEncoder(), BMPEncoder()] as [any ImageEncoder])
    func `a format without profiles gets sRGB`(encoder: any ImageEncoder) throws {
        let decoded = try codecs.decode(try encoder.tested.encode(Self.image(.displayP3)), options: Self.wide)
        let converted = try codecs.decode(try encoder.tested.encode(Self.image(.displayP3).convertedToSRGB()))
        #expect(decoded.colorSpace == .sRGB && decoded.bytes == converted.bytes)
    }

    @Test func `the background behind translucent pixels has the colours of the image`() throws {
        let clear = Image(
            size: PixelSize(width: 16, height: 16),
            pixelFormat: .rgba8,
            pixels: unsafe PixelBuffer(byteCount: 1_024) { target in
                for index in target.indices { unsafe target[index] = 0 }
            },
            metadata: ImageMetadata(colorSpace: .displayP3)
        )
        let red = RGBColor(red: 255, green: 0, blue: 0)
        let encoder = JPEGEncoder(
            quality: 100,
            chromaSubsampling: .yuv444,
            options: EncodeOptions(background: red)
        )
        let data = try encoder.tested.encode(clear)
        let kept = try codecs.decode(data, options: Self.wide)
        #expect(kept.colorSpace == .displayP3)
        // The red of sRGB in Display P3, CSS Color 4 section 10.4.
        let pixel = kept.rgba8().prefix(3).map(Int.init)
        #expect(zip(pixel, [234, 51, 35]).allSatisfy { abs($0 - $1) <= 2 }, "\(pixel)")
        let shown = try codecs.decode(data).rgba8().prefix(3).map(Int.init)
        #expect(zip(shown, [255, 0, 0]).allSatisfy { abs($0 - $1) <= 4 }, "\(shown)")
    }

    // MARK: Profiles

    private static func tiff(_ profile: Data?, photometric: Int = 2) -> Data {
        let channels = photometric == 1 ? 1 : photometric == 5 ? 4 : 3
        let levels = (0..<12 * channels).map { UInt8($0 * 83 % 256) }
        var file = TIFFFile(width: 12, photometric: photometric, sampleCount: channels, strips: [levels])
        file.profile = profile
        return file.data
    }

    @Test func `another RGB space keeps its levels, with a compact profile of the same colours`() throws {
        var profile = TestProfiles.swappedFile
        profile.excess = 100_000
        let file = Self.tiff(profile.data)
        let kept = try codecs.decode(file, options: Self.wide)
        let stored = try codecs.decode(file, options: DecodeOptions(convertsToSRGB: false))
        #expect(kept.bytes == stored.bytes)
        guard case .icc(let compact) = kept.colorSpace else {
            Issue.record("\(kept.colorSpace)")
            return
        }
        #expect((200..<600).contains(compact.count), "\(compact.count)")
        let difference = Self.largestDifference(try kept.convertedToSRGB(), try codecs.decode(file))
        #expect(difference <= 1)
        let jpeg = try codecs.decode(try JPEGEncoder(quality: 100).tested.encode(kept), options: Self.wide)
        #expect(jpeg.colorSpace == kept.colorSpace)
    }

    @Test func `a profile of Display P3 from another program becomes the compact one`() throws {
        var file = TestProfiles.displayP3
        file.excess = 3_000
        let kept = try codecs.decode(Self.tiff(file.data), options: Self.wide)
        #expect(kept.colorSpace == .displayP3)
    }

    @Test func `everything that cannot be kept is converted as without the option`() throws {
        var tables = TestProfiles.swappedFile
        tables.tags.append(("A2B0", Data("mft1".utf8) + Data(count: 60)))
        var unbalanced = TestProfiles.swappedFile
        unbalanced.tags[1].value = ProfileFile.xyz([0.9, 0.9, 0.9])
        var huge = TestProfiles.swappedFile
        huge.excess = 10 << 20
        let pq = try PNGEncoder().tested.encode(Self.image(.rec2100PQ))
        let gray = TestImages.photograph(Self.size, format: .gray8)
        let files: [(String, Data)] = [
            ("no profile", Self.tiff(nil)), ("10 MB", Self.tiff(huge.data)),
            ("tables", Self.tiff(tables.data)), ("no white", Self.tiff(unbalanced.data)),
            ("gray", Self.tiff(TestProfiles.swapped, photometric: 1)),
            ("inks", Self.tiff(nil, photometric: 5)), ("PQ", pq),
            ("gray JPEG", try JPEGEncoder().tested.encode(gray)),
            ("CMYK JPEG", FlatJPEG(levels: [10, 200, 100, 250], adobeTransform: 0).data),
        ]
        for (name, file) in files {
            let (kept, plain) = (try codecs.decode(file, options: Self.wide), try codecs.decode(file))
            #expect(kept.colorSpace == .sRGB && kept.bytes == plain.bytes, "\(name)")
            #expect(kept.pixelFormat == plain.pixelFormat && kept.size == plain.size, "\(name)")
        }
    }

    @Test func `an animation with a profile is converted, and stays animated`() throws {
        let frames = [1, 2].map { APNGFrame(picture: TestImages.photograph(Self.size, seed: $0)) }
        var parts = try APNGParts(frames: frames).parts()
        parts.insert("iCCP", storedProfile(TestProfiles.swapped), before: "acTL")
        let (kept, plain) = (
            try codecs.decode(parts.data, options: Self.wide), try codecs.decode(parts.data)
        )
        let (shown, others) = (try #require(kept.animation), try #require(plain.animation))
        #expect(kept.colorSpace == .sRGB && shown.frameCount == others.frameCount)
        for index in 0..<shown.frameCount {
            #expect(try shown.decodeFrame(at: index).bytes == others.decodeFrame(at: index).bytes)
        }
    }

    @Test func `a profile with lying offsets gives pixels, whatever it claims`() throws {
        let profile = TestProfiles.swapped
        for entry in 0..<7 {
            let offsets = [0, 127, 128, profile.count - 1, 0x7FFF_FFFF].map { (4, $0) }
            for (field, claim) in offsets + [0, 1, 0xFFFF_FFFF].map({ (8, $0) }) {
                var changed = profile
                let place = 132 + 12 * entry + field
                changed.replaceSubrange(place..<place + 4, with: bigEndian32(claim))
                let kept = try codecs.decode(Self.tiff(changed), options: Self.wide)
                let plain = try codecs.decode(Self.tiff(changed))
                #expect(kept.size == plain.size)
                #expect(kept.colorSpace != .sRGB || kept.bytes == plain.bytes, "\(entry) \(field) \(claim)")
            }
        }
    }

    @Test func `arriving bytes give the same image`() throws {
        let data = try JPEGEncoder(quality: 95).tested.encode(Self.image(.displayP3))
        let decoder = try #require(codecs.makeIncrementalDecoder(forHead: data, options: Self.wide))
        try decoder.judge(data.prefix(data.count / 2))
        try decoder.judge(data.dropFirst(data.count / 2))
        let image = try decoder.finish()
        let whole = try codecs.decode(data, options: Self.wide)
        #expect(image.colorSpace == .displayP3 && image.bytes == whole.bytes)
    }

    @Test func `a target is reached in the colours of the file`() throws {
        let data = try PNGEncoder().tested.encode(Self.image(.displayP3))
        let options = DecodeOptions(target: .fit(width: 20), keepsWideGamut: true)
        let small = try codecs.decode(data, options: options)
        #expect(small.size == PixelSize(width: 20, height: 15) && small.colorSpace == .displayP3)
    }
}
