import CalotypeCore
import CalotypeHummingbird
import CalotypeServer
import Foundation
import TestSupport
import Testing

@testable import CalotypeCLI

/// The settings of URLs without a signature, uploads, CORS and fallbacks.
@Suite(.gated) struct GrammarSettingsTests {
    private static let guarded = ["--allowed-sources=a.test", "--widths=640,320"]
    private static let signed = ["--key=00112233445566778899aabbccddeeff", "--salt=aabb"]

    private func service(_ arguments: [String]) throws -> ImageService.Configuration {
        try SettingsSource(arguments, [:]).settings.service
    }

    @Test(arguments: [
        (["--next-image"], "next-image (flag): its URLs are not signed; set allowed-sources"),
        (["--cloudflare", "--allowed-sources=a.test"], "cloudflare (flag): its URLs are not signed"),
        (
            ["--next-image", "--widths=320"],
            "next-image (flag): its URLs are not signed; set allowed-sources"
        ),
        (["--widths=0"], "widths (flag): write up to"), (["--widths=a"], "widths (flag): write up to"),
        (["--widths=320,,-1"], "widths (flag): write up to"),
        (["--widths=100001"], "widths (flag): write up to"),
        (["--next-qualities=75"], "next-qualities (flag): it has no effect"),
        (guarded + ["--next-image", "--next-qualities=0"], "next-qualities (flag): write qualities of"),
        (["--site-url=https://a.test"], "site-url (flag): it has no effect"),
        (guarded + ["--cloudflare", "--site-url=https://b.test"], "site-url (flag): no allowed source is"),
        (guarded + ["--cloudflare", "--site-url=ftp://a.test"], "site-url (flag): it is not the URL of a"),
        (["--allow-origin=a.test"], "allow-origin (flag): “a.test” is not an origin"),
        (["--allow-origin=*,https://a.test"], "allow-origin (flag): * allows every origin"),
        (["--fallback-for=404"], "fallback-for (flag): no fallback image is set"),
        (["--fallback-max-age=9s"], "fallback-max-age (flag): no fallback image is set"),
        (["--fallback-image=x", "--fallback-for=200"], "fallback-for (flag): “200” is not a status of"),
        (["--fallback-image=x", "--fallback-for=3xx"], "fallback-for (flag): “3xx” is not a status of"),
        (["--uploads"], "uploads (flag): any client could upload; set key and salt, or upload-token"),
        (["--upload-token=token-1"], "upload-token (flag): it has no effect without uploads"),
        (["--upload-timeout=9s"], "upload-timeout (flag): it has no effect without uploads"),
        (["--uploads", "--upload-token=abc"], "upload-token (flag): a secret of 3 bytes can be guessed"),
        (["--uploads", "--upload-token=a token"], "upload-token (flag): it has a blank"),
        (
            guarded + ["--cloudflare", "--uploads", "--upload-token=token-1"],
            "uploads (flag): the imgproxy grammar is off"
        ),
    ])
    func `a setting that does not guard, or has no effect, is a mistake`(arguments: [String], text: String) {
        let found = mistakes(arguments)
        #expect(found.contains { $0.hasPrefix(text) }, "\(found)")
    }

    @Test func `guarded grammars turn unsigned ones off, but not signed ones`() throws {
        let both = try service(Self.guarded + ["--next-image", "--cloudflare", "--next-qualities=75"])
        #expect(both.nextImage?.widths.widths == [320, 640] && both.cloudflare?.widths.widths == [320, 640])
        #expect(both.nextImage?.qualities == [75] && both.imgproxy == nil && both.thumbor == nil)
        let keyed = try service(Self.guarded + Self.signed + ["--next-image"])
        #expect(keyed.imgproxy?.signature.isRequired == true && keyed.thumbor == nil)
        #expect(keyed.nextImage != nil && keyed.cloudflare == nil)
        let open = try service(Self.guarded + ["--cloudflare", "--allow-unsigned"])
        #expect(open.imgproxy?.widths?.widths == [320, 640] && open.thumbor?.widths != nil)
        let none = try service(["--widths=320"])
        #expect(none.nextImage == nil && none.cloudflare == nil && none.imgproxy?.widths?.widths == [320])
    }

    @Test func `guarded grammars may be reachable from other machines`() throws {
        let listen = ["--listen=0.0.0.0:80"]
        #expect(mistakes(listen + Self.guarded + ["--next-image"]).isEmpty)
        #expect(!mistakes(listen + Self.guarded).isEmpty, "widths alone do not guard the other options")
        let settings = try SettingsSource(Self.guarded + ["--next-image"], [:]).settings
        #expect(settings.signingSummary.contains("next-image are limited by widths"))
        #expect(try SettingsSource([], [:]).settings.signingSummary.contains("not signed"))
        #expect(try SettingsSource(Self.signed, [:]).settings.signingSummary == "URLs are signed")
    }

    @Test func `statuses of fallbacks are numbers and classes`() throws {
        let settings = try SettingsSource(["--fallback-image=x", "--fallback-for=404,5XX"], [:]).settings
        #expect(settings.fallback?.statuses == Set(500...599).union([404]))
        #expect(settings.fallback?.maxAge == nil)
    }

    @Test func `uploads have a token, a key and a time limit`() throws {
        let settings = try SettingsSource(
            Self.signed + ["--uploads", "--upload-token=token-1", "--upload-timeout=9s"],
            [:]
        ).settings
        #expect(settings.service.uploads?.token == SigningKey("token-1"))
        #expect(settings.service.uploads?.timeout == .seconds(9))
        #expect(settings.listeners.limits.uploadTimeout == .seconds(9))
        #expect(try SettingsSource([], [:]).settings.listeners.limits.uploadTimeout == nil)
        #expect(try service(Self.signed + ["--uploads"]).uploads?.token == nil)
    }

    @Test func `a reload applies new widths, origins and tokens`() throws {
        let uploads = Self.signed + ["--uploads"]
        let old = try SettingsSource(uploads + ["--upload-token=token-1"], [:]).settings
        let new = try SettingsSource(
            uploads + Self.guarded + ["--upload-token=token-2", "--next-image", "--allow-origin=*"],
            [:]
        ).settings
        let merged = old.reloaded(from: new).service
        #expect(merged.nextImage != nil && merged.crossOrigin != nil)
        #expect(merged.uploads?.token == SigningKey("token-2"))
    }

    @Test(
        arguments: [
            ("limitExceeded", "decode", "1001 frames, the limit is 1000", 422, "source-frames", "1000"),
            (
                "limitExceeded", "decode", "9x9 pixels in a frame, the limit is 80", 422, "source-pixels",
                "50000000"
            ),
            ("limitExceeded", "decode", "9 bytes of input, the limit is 8", 422, "source-bytes", "64MB"),
            ("bodyTooLarge", "fetch", "", 422, "source-bytes", "64MB"),
            ("timedOut", "fetch", "", 504, "source-timeout", "20s"),
            ("timedOut", "decode", "", 422, "work-time", "10s"),
            ("timedOut", "queue", "", 503, "timeout", "30s"),
            ("overloaded", "queue", "", 503, "queue", "256"),
            ("memoryExceeded", "decode", "", 422, "worker-memory", "1GB"),
            ("limitExceeded", "transform", "", 422, nil, nil), ("addressRefused", "fetch", "", 403, nil, nil),
            ("sourceNotAllowed", "url", "", 403, nil, nil), ("invalidSignature", "url", "", 403, nil, nil),
            ("forbiddenOption", "url", "", 403, nil, nil),
        ] as [(String, String, String, Int, String?, String?)]
    )
    func `an error response names the limit and its value, and no other setting`(
        code: String,
        step: String,
        detail: String,
        status: Int,
        name: String?,
        value: String?
    ) throws {
        var record = ServiceRecord(status: status, duration: .zero)
        (record.errorCode, record.errorStep, record.errorDetail) = (code, step, detail)
        let limit = NamedLimits(try SettingsSource([], [:]).settings).limit(behind: record)
        #expect(limit?.name == name && limit?.value == value)
    }

    /// Limits of codecs that no setting changes.
    @Test(arguments: [
        "limitExceeded: a directory with overlapping tags", "limitExceeded: more than 256 boxes",
        "limitExceeded: 2000 images in an icon, the limit is 1024",
        "limitExceeded: 20000 entries in stsz, the limit is 10000 frames",
    ])
    func `a limit without a setting is not named`(detail: String) throws {
        var record = ServiceRecord(status: 422, duration: .zero)
        (record.errorCode, record.errorStep, record.errorDetail) = ("limitExceeded", "decode", detail)
        #expect(NamedLimits(try SettingsSource([], [:]).settings).limit(behind: record) == nil)
    }

    @Test func `a fallback may be a data URL`() async throws {
        let text = Data("GIF89a".utf8).base64EncodedString()
        let data = try await FallbackFile.read("data:;base64,\(text)", limits: DecodeLimits())
        #expect(data == Data("GIF89a".utf8))
        await #expect(throws: (any Error).self) {
            try await FallbackFile.read("data:;base64,%%%", limits: DecodeLimits())
        }
    }
}
