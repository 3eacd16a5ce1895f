import Calotype
import CalotypeServer
import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing

/// The bytes that settings and options of individual encoders produce.
@Suite(.blocking) struct EncoderPreferenceTests {
    private static let photograph = TestImages.photograph(PixelSize(width: 120, height: 90))

    private static func encoded(
        _ options: String,
        _ format: String,
        _ defaults: EncodingDefaults = EncodingDefaults()
    ) throws -> Data {
        let target = "/unsafe/\(options)/\(examplePath)@\(format)"
        let request = try ImgproxyGrammar().rendering(of: target).request(defaults: defaults)
        return try #require(request.encoding).encoder.encode(photograph)
    }

    private static func defaults(
        _ change: (inout EncoderPreferences) -> Void
    ) -> EncodingDefaults {
        var defaults = EncodingDefaults()
        change(&defaults.encoders)
        return defaults
    }

    /// Whether a JPEG has a progressive frame (SOF2), and the sampling factors of its first component.
    private static func frame(_ file: Data) throws -> (isProgressive: Bool, sampling: UInt8) {
        let bytes = [UInt8](file)
        var offset = 2
        while offset + 12 < bytes.count, bytes[offset] == 0xFF {
            let marker = bytes[offset + 1]
            if marker == 0xC0 || marker == 0xC2 { return (marker == 0xC2, bytes[offset + 11]) }
            offset += 2 + Int(bytes[offset + 2]) << 8 + Int(bytes[offset + 3])
        }
        throw EncodeError(.codecFailure, format: .jpeg, detail: "the file has no frame header")
    }

    @Test func `JPEG is progressive by option or by default, and the option overrides the default`() throws {
        let progressive = Self.defaults { $0.isJPEGProgressive = true }
        #expect(try !Self.frame(Self.encoded("w:0", "jpg")).isProgressive)
        #expect(try Self.frame(Self.encoded("jpgo:1", "jpg")).isProgressive)
        #expect(try Self.frame(Self.encoded("w:0", "jpg", progressive)).isProgressive)
        #expect(try !Self.frame(Self.encoded("jpgo:0", "jpg", progressive)).isProgressive)
    }

    @Test func `JPEG has full chroma by option`() throws {
        #expect(try Self.frame(Self.encoded("w:0", "jpg")).sampling == 0x22)
        #expect(try Self.frame(Self.encoded("jpgo::1", "jpg")).sampling == 0x11)
    }

    @Test func `PNG is interlaced and quantized by option or by default`() throws {
        func header(_ file: Data) -> (color: UInt8, interlace: UInt8) { (file[25], file[28]) }
        let plain = header(try Self.encoded("w:0", "png"))
        #expect(plain == (2, 0))
        #expect(header(try Self.encoded("pngo:1", "png")) == (2, 1))
        #expect(header(try Self.encoded("pngo::1", "png")) == (3, 0))
        let both = Self.defaults { ($0.isPNGInterlaced, $0.quantizesPNG) = (true, true) }
        #expect(header(try Self.encoded("w:0", "png", both)) == (3, 1))
        #expect(header(try Self.encoded("pngo:0:0", "png", both)) == (2, 0))
    }

    @Test(arguments: [("pngo::1:4", 4), ("pngo::1:64", 64), ("pngo::1", 256), ("pngo:::4", nil)])
    func `the number of colours counts only for a quantized PNG`(option: String, count: Int?) throws {
        let image = try CodecRegistry.standard.decode(try Self.encoded(option, "png"))
        let bytes = [UInt8](image.rgba8())
        let colors = Set(stride(from: 0, to: bytes.count, by: 4).map { Array(bytes[$0..<$0 + 4]) })
        #expect(count.map { colors.count <= $0 } ?? (colors.count > 256))
    }

    @Test func `WebP is lossless by option, and tuned by preset`() throws {
        let lossless = try CodecRegistry.standard.decode(try Self.encoded("webpo:lossless", "webp"))
        #expect(lossless.rgba8() == Self.photograph.rgba8())
        let plain = try Self.encoded("w:0", "webp")
        #expect(try Self.encoded("webpo:lossy::default", "webp") == plain)
        let photo = Self.defaults { $0.webPPreset = .photo }
        let tuned = try Self.encoded("w:0", "webp", photo)
        #expect(tuned != plain)
        #expect(try Self.encoded("webpo:::photo", "webp") == tuned)
        #expect(try Self.encoded("webpo:::default", "webp", photo) == plain)
    }

    @Test func `AVIF has full chroma by option`() throws {
        let (plain, full) = (try Self.encoded("w:0", "avif"), try Self.encoded("avifo:off", "avif"))
        #expect(full.count != plain.count)
        #expect(try CodecRegistry.standard.decode(full).size == Self.photograph.size)
    }

    @Test(arguments: [
        "jpgo:1", "jpgo::1", "pngo:1", "pngo::1", "pngo::1:9", "webpo:lossless", "webpo:::text", "avifo:off",
        "avifo:on", "maf:3", "ph:1",
    ])
    func `each option is part of the key of the result it changes`(option: String) throws {
        func description(_ options: String, _ negotiated: ImageFormat?) throws -> String {
            let limits = DecodeLimits(truncatesAnimations: true)
            let request = try ImgproxyGrammar().rendering(of: "/unsafe/\(options)/\(examplePath)")
                .request(negotiated: negotiated, limits: limits)
            return "\(request)"
        }
        let formats: [ImageFormat?] = [nil, .jpeg, .png, .webP, .avif]
        let changed = try formats.filter { try description(option, $0) != description("w:0", $0) }
        #expect(!changed.isEmpty, "\(option)")
        // The original may be in any format.
        #expect(changed.contains(nil), "\(option)")
        // Options of one encoder leave the others alone.
        if !option.hasPrefix("maf") && !option.hasPrefix("ph") {
            #expect(changed.count == 2, "\(option): \(changed)")
        }
    }

    @Test func `efforts on the scale of a format reach its encoder`() throws {
        var defaults = EncodingDefaults()
        defaults.nativeEfforts = [.avif: 5, .webP: 6, .jpegXL: 3]
        func identity(_ format: ImageFormat) throws -> String {
            let rendering = try ImgproxyGrammar().rendering(of: "/unsafe/w:1/\(examplePath)")
            defaults.codecs = .standard
            let request = try rendering.request(negotiated: format, defaults: defaults)
            return try #require(request.encoding).encoder.cacheIdentity
        }
        #expect(try identity(.avif).contains("speed=5,"))
        #expect(try identity(.webP).contains("effort=6,"))
        #expect(try identity(.jpegXL).contains("effort=3,"))
    }

    // MARK: - Byte limits

    @Test(arguments: ["jpg", "webp", "avif"])
    func `a byte limit is exceeded only by the smallest result`(format: String) throws {
        let whole = try Self.encoded("w:0", format).count
        let least = try Self.encoded("mb:1", format).count
        #expect(least < whole)
        var counts: [Int] = []
        for limit in stride(from: 1, through: whole + whole / 12, by: max(1, whole / 12)) {
            counts.append(try Self.encoded("mb:\(limit)", format).count)
            #expect(counts.last.map { $0 <= max(limit, least) } == true, "\(limit) bytes")
        }
        #expect(counts.first == least && counts.last == whole)
        // The sizes of JPEG grow with its quality; others may have exceptions.
        if format == "jpg" { #expect(counts == counts.sorted()) }
    }

    @Test func `a limit that some quality meets is met`() throws {
        // Between the results of qualities 1 and 10.
        let low = try JPEGEncoder(quality: 1).encode(Self.photograph).count
        let ten = try JPEGEncoder(quality: 10).encode(Self.photograph).count
        try #require(low < ten)
        let limit = (low + ten) / 2
        #expect(try Self.encoded("mb:\(limit)", "jpg").count <= limit)
        // One that none meets gives the smallest result.
        #expect(try Self.encoded("mb:\(low - 1)", "jpg").count == low)
    }
}
