import CalotypeCore
import CalotypeServer
import Foundation
import TestSupport
import Testing

@testable import CalotypeCLI

private func read(_ environment: [String: String]) throws -> SettingsSource {
    try SettingsSource([], environment)
}

/// The environment variables of an operator who migrates from imgproxy.
@Suite(.gated) struct ImgproxyVariablesTests {
    @Test func `the common variables of imgproxy are supported`() throws {
        let source = try read([
            "IMGPROXY_KEY": "736563726574736563726574736563726574,aabbccddeeffaabbccddeeffaabbccddee",
            "IMGPROXY_SALT": "68656C6C6F,bb",
            "IMGPROXY_SIGNATURE_SIZE": "8",
            "IMGPROXY_TRUSTED_SIGNATURES": "dev", "IMGPROXY_MAX_SRC_RESOLUTION": "16.8",
            "IMGPROXY_MAX_SRC_FILE_SIZE": "1000000", "IMGPROXY_QUALITY": "75",
            "IMGPROXY_FORMAT_QUALITY": "avif=40,jpeg=90", "IMGPROXY_TTL": "3600",
            "IMGPROXY_KEEP_COPYRIGHT": "true", "IMGPROXY_STRIP_METADATA": "false",
            "IMGPROXY_STRIP_COLOR_PROFILE": "true",
            "IMGPROXY_PRESETS": "thumb=rs:fill:150:150/f:png,sq=s:200:200", "IMGPROXY_ONLY_PRESETS": "true",
            "IMGPROXY_BIND": ":9000", "IMGPROXY_TIMEOUT": "15", "IMGPROXY_PATH_PREFIX": "/img",
            "IMGPROXY_BASE_URL": "http://a.test/",
            "IMGPROXY_ALLOWED_SOURCES": "https://a.test/b/,http://*.c.test/*,local:///",
            "IMGPROXY_LOCAL_FILESYSTEM_ROOT": "/srv",
        ])
        let (settings, service) = (source.settings, source.settings.service)
        #expect(source.warnings.isEmpty, "\(source.warnings)")
        #expect(service.imgproxy?.signature.keys.count == 2 && service.imgproxy?.signature.byteCount == 8)
        #expect(service.imgproxy?.signature.trusted == ["dev"] && service.imgproxy?.allowsOnlyPresets == true)
        #expect(service.limits.maxPixelCount == 16_800_000 && service.limits.maxByteCount == 1_000_000)
        #expect(service.encodings.qualities[.jpeg] == 90 && service.encodings.qualities[.avif] == 40)
        #expect(service.encodings.qualities[.webP] == 79 && service.caching.maxAge == .seconds(3600))
        #expect(service.encodings.keepsCopyright)
        #expect(!service.encodings.stripsMetadata && service.encodings.stripsColorProfile)
        #expect("\(settings.listeners.pictures)" == "0.0.0.0:9000" && settings.listeners.pathPrefix == "/img")
        #expect(service.timeout == .seconds(15) && service.imgproxy?.baseURL == "http://a.test/")
        #expect(service.sources.patterns?.count == 3)
        #expect(service.sources.permits(try #require(URL(string: "http://x.c.test/y"))))
    }

    @Test(arguments: [
        ("DATA", "iVBORw0KGgo="), ("PATH", "/srv/wm.png"), ("URL", "https://a.test/wm.png"),
    ])
    func `the watermark of imgproxy is supported`(name: String, text: String) throws {
        let source = try read(["IMGPROXY_WATERMARK_\(name)": text, "IMGPROXY_WATERMARK_OPACITY": "0.25"])
        let service = source.settings.service
        #expect(source.warnings.isEmpty && service.watermarkOpacity == 0.25)
        let expected =
            switch name {
            case "DATA": WatermarkImage(data: try #require(Data(base64Encoded: text)))
            case "PATH": WatermarkImage(file: URL(filePath: text))
            default: try WatermarkImage(source: text)
            }
        #expect(service.watermark == expected)
        #expect(try read([:]).settings.service.watermark == nil)
    }

    @Test func `the variables of encoders are supported`() throws {
        let source = try read([
            "IMGPROXY_JPEG_PROGRESSIVE": "true", "IMGPROXY_PNG_INTERLACED": "1", "IMGPROXY_PNG_QUANTIZE": "t",
            "IMGPROXY_PNG_QUANTIZATION_COLORS": "64", "IMGPROXY_WEBP_EFFORT": "6",
            "IMGPROXY_WEBP_PRESET": "photo", "IMGPROXY_AVIF_SPEED": "9", "IMGPROXY_JXL_EFFORT": "4",
            "IMGPROXY_PRESERVE_HDR": "true", "IMGPROXY_MAX_ANIMATION_FRAMES": "32",
        ])
        #expect(source.warnings.isEmpty, "\(source.warnings)")
        let encodings = source.settings.service.encodings
        #expect(encodings.encoders.isJPEGProgressive == true && encodings.encoders.isPNGInterlaced == true)
        #expect(encodings.encoders.quantizesPNG == true && encodings.encoders.maxPNGColorCount == 64)
        #expect(encodings.encoders.webPPreset == .photo && encodings.keepsDepth)
        #expect(encodings.nativeEfforts == [.webP: 6, .avif: 9, .jpegXL: 4])
        let limits = source.settings.service.limits
        #expect(limits.maxFrameCount == 32 && limits.truncatesAnimations)
    }

    @Test(arguments: [
        (String?.none, ResamplingLight.automatic), ("", .automatic), ("true", .linear), ("1", .linear),
        ("false", .encoded),
    ])
    func `IMGPROXY_USE_LINEAR_COLORSPACE decides what resizes mix`(
        text: String?,
        light: ResamplingLight
    ) throws {
        let source = try read(text.map { ["IMGPROXY_USE_LINEAR_COLORSPACE": $0] } ?? [:])
        #expect(source.settings.service.light == light && source.warnings.isEmpty)
    }

    @Test func `the formats offered by Accept are the enabled ones`() throws {
        #expect(try read(["IMGPROXY_AUTO_WEBP": "true"]).settings.service.offers == [.webP])
        let both = ["IMGPROXY_AUTO_WEBP": "1", "IMGPROXY_AUTO_AVIF": "t"]
        #expect(try read(both).settings.service.offers == [.avif, .webP])
        #expect(try read(["IMGPROXY_AUTO_WEBP": "false"]).settings.service.offers == [])
        #expect(try read([:]).settings.service.offers == [.avif, .webP])
    }

    @Test func `JPEG XL precedes the other formats of Accept, and requires workers`() throws {
        let source = try read(["IMGPROXY_AUTO_JXL": "true", "IMGPROXY_AUTO_WEBP": "true"])
        #expect(source.settings.service.offers == [.jpegXL, .webP] && source.warnings.isEmpty)
        #expect(try read(["IMGPROXY_AUTO_JXL": "false"]).settings.service.offers == [])
        let error = #expect(throws: SettingMistakes.self) {
            try read(["IMGPROXY_AUTO_JXL": "true", "CALOTYPE_SANDBOX": "off"])
        }
        #expect(error?.mistakes.map(\.origin) == ["IMGPROXY_AUTO_JXL"])
    }

    @Test(arguments: [
        ("true", true), ("1", true), ("t", true), ("T", true), ("false", false), ("0", false), ("no", false),
    ])
    func `SVG is rasterised if so set, and else passed through`(
        text: String,
        isDrawn: Bool
    ) throws {
        let source = try read(["IMGPROXY_ALWAYS_RASTERIZE_SVG": text])
        #expect(source.settings.service.passesSVGThrough == !isDrawn && source.warnings.isEmpty)
        let held = source.settings.holding.first { $0.setting == .svg }
        #expect(held?.text == (isDrawn ? "draw" : "pass-through"))
        // CALOTYPE_ variables take precedence.
        let own = try read(["IMGPROXY_ALWAYS_RASTERIZE_SVG": text, "CALOTYPE_SVG": "draw"])
        #expect(!own.settings.service.passesSVGThrough)
        #expect(try !read([:]).settings.service.passesSVGThrough)
    }

    @Test func `an unlimited value of imgproxy gives the default limit`() throws {
        let source = try read(["IMGPROXY_MAX_SRC_FILE_SIZE": "0", "IMGPROXY_REQUESTS_QUEUE_SIZE": "0"])
        #expect(source.settings.service.limits.maxByteCount == 64_000_000 && source.warnings.isEmpty)
        #expect(source.settings.tiers.maxWaitingCount == 256)
    }

    @Test func `CORS, client hints and fallbacks of imgproxy are supported`() throws {
        let data = Data("GIF89a".utf8).base64EncodedString()
        let source = try read([
            "IMGPROXY_ALLOW_ORIGIN": "*", "IMGPROXY_ENABLE_CLIENT_HINTS": "1",
            "IMGPROXY_FALLBACK_IMAGE_DATA": data, "IMGPROXY_FALLBACK_IMAGE_TTL": "60",
            "IMGPROXY_FALLBACK_IMAGE_HTTP_CODE": "0",
        ])
        #expect(source.warnings.isEmpty, "\(source.warnings)")
        #expect(source.settings.service.crossOrigin != nil && source.settings.service.usesClientHints)
        let fallback = try #require(source.settings.fallback)
        #expect(fallback.path == "data:;base64,\(data)" && fallback.maxAge == .seconds(60))
        #expect(fallback.status == nil && fallback.statuses == nil)
        let file = try read(["IMGPROXY_FALLBACK_IMAGE_PATH": "/a.png", "IMGPROXY_FALLBACK_IMAGE_TTL": "0"])
        #expect(file.settings.fallback?.path == "/a.png" && file.settings.fallback?.maxAge == nil)
    }

    @Test func `each variable that is set but not supported is reported in its own line`() throws {
        let source = try read([
            "IMGPROXY_JPEG_TRELLIS_QUANT": "true", "IMGPROXY_URL_REPLACEMENTS": "a=b",
            "IMGPROXY_FOO": "",
            "IMGPROXY_MAX_ANIMATION_FRAMES": "1", "IMGPROXY_USE_ETAG": "true",
        ])
        #expect(source.warnings.count == 3, "\(source.warnings)")
        for name in ["JPEG_TRELLIS_QUANT", "URL_REPLACEMENTS", "MAX_ANIMATION_FRAMES"] {
            #expect(source.warnings.contains { $0.hasPrefix("IMGPROXY_\(name)") }, "\(name)")
        }
    }

    @Test func `a mistake names its variable`() {
        do throws(SettingMistakes) {
            _ = try SettingsSource([], ["IMGPROXY_QUALITY": "best"])
            Issue.record("it was taken")
        } catch {
            #expect(error.mistakes.map(\.origin) == ["IMGPROXY_QUALITY"])
        }
    }
}
