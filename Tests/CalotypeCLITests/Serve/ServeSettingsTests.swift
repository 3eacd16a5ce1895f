import CalotypeCodecs
import CalotypeCore
import CalotypeLoading
import CalotypeServer
import Foundation
import TestSupport
import Testing

@testable import CalotypeCLI

private func read(
    _ arguments: [String] = [],
    _ environment: [String: String] = [:],
    file: String? = nil
) throws(SettingMistakes) -> SettingsSource {
    try SettingsSource(arguments, environment, file.map { ("service.json", Data($0.utf8)) })
}

@Suite(.gated) struct ServeSettingsTests {
    @Test func `by default only the local machine can connect`() throws {
        let settings = try read().settings
        #expect("\(settings.listeners.pictures)" == "127.0.0.1:8080" && !settings.isSigned)
        #expect(settings.listeners.admin?.isLoopback == true)
        #expect(settings.tiers.disk?.directory == nil && settings.tiers.disk != nil)
        #expect(settings.sources.addresses == .publicOnly && settings.service.sources.patterns == nil)
        #expect(settings.service.imgproxy != nil && settings.service.thumbor != nil)
    }

    @Test
    func `flags precede the environment, which precedes imgproxy's variables, which precede the file`()
        throws
    {
        let environment = ["CALOTYPE_QUALITY": "60", "IMGPROXY_QUALITY": "50", "IMGPROXY_TTL": "7"]
        let file = #"{"quality": 40, "max-age": "9s", "queue": 3, "retry-after": "4s"}"#
        let settings = try read(["--queue=5", "--quality", "70"], environment, file: file).settings
        #expect(settings.service.encodings.qualities[.jpeg] == 70)
        #expect(settings.service.caching.maxAge == .seconds(7))
        #expect(settings.tiers.maxWaitingCount == 5 && settings.service.retryAfter == .seconds(4))
        let origins = Dictionary(uniqueKeysWithValues: settings.holding.map { ($0.setting.name, $0.origin) })
        #expect(origins["quality"] == .flag && origins["max-age"] == .environment("IMGPROXY_TTL"))
        #expect(origins["retry-after"] == .file("service.json") && origins["work"] == .standard)
        let second = try read([], environment, file: file).settings
        #expect(second.service.encodings.qualities[.jpeg] == 60)
    }

    @Test func `every setting is read, in the order of the table, and its default is one of its values`()
        throws
    {
        let settings = try read().settings
        #expect(settings.holding.map(\.setting.name) == ServeSetting.all.map(\.name))
        #expect(Set(ServeSetting.all.map(\.name)).count == ServeSetting.all.count)
        let variables = ServeSetting.all.flatMap { [$0.variable] + $0.imgproxy }
        #expect(Set(variables).count == variables.count)
    }

    @Test func `every setting may be a flag, a variable and a member of a file`() throws {
        let samples: [String: String] = [
            "listen": "127.0.0.1:1", "admin": "off", "key": "aabbccdd", "salt": "bb", "path-prefix": "/a",
            "allowed-sources": "a.test", "format-quality": "webp=1", "auto-formats": "webp",
            "presets": "a=w:1",
            "separator": ";", "admin-token": "token", "thumbor-key": "secret", "base-url": "http://a.test/",
            "public-url": "http://a.test", "trusted-signatures": "hush", "allowed-options": "w",
            "allow-private-sources": "::1", "log-level": "error", "log-format": "json", "signature-size": "8",
            "sandbox": "off", "svg": "pass-through", "watermark-data": "iVBORw0KGgo=",
            "watermark-url": "http://a.test/wm.png", "watermark-opacity": "0.5", "origins": "{}",
            "allow-origin": "https://a.test", "next-qualities": "75,90", "site-url": "https://a.test",
            "widths": "320,640", "fallback-for": "404,5xx", "upload-token": "token-1",
            "webp-preset": "icon", "damaged-images": "show", "light": "encoded",
        ]
        let guarded = ["--allowed-sources=a.test", "--widths=320"]
        // Further settings that some settings require.
        let others = [
            "only-presets": ["--presets=a=w:1"], "trusted-signatures": ["--key=aabbccdd", "--salt=bb"],
            "fallback-status": ["--fallback-image=x"], "source-max-age": ["--source-min-age=1s"],
            "next-image": guarded, "cloudflare": guarded, "next-qualities": guarded + ["--next-image"],
            "site-url": guarded + ["--cloudflare"], "fallback-for": ["--fallback-image=x"],
            "fallback-max-age": ["--fallback-image=x"], "uploads": ["--upload-token=token-1"],
            "upload-token": ["--uploads"], "upload-timeout": ["--uploads", "--upload-token=token-1"],
        ]
        for setting in ServeSetting.all where setting.name != "key" && setting.name != "salt" {
            let needed = others[setting.name] ?? []
            let sample =
                switch setting.kind {
                case .flag: "true"
                case .count(let range): "\(min(200, range.upperBound))"
                case .bytes(let range): "\(range.upperBound)"
                case .duration: "7s"
                default: "x"
                }
            let text = samples[setting.name] ?? sample
            for found in [
                try read(needed + ["\(setting.flag)=\(text)"]), try read(needed, [setting.variable: text]),
                try read(needed, file: "{\"\(setting.name)\": \"\(text)\"}"),
            ] {
                let held = found.settings.holding.first { $0.setting == setting }
                #expect(held?.text == text && held?.origin != .standard, "\(setting.name)")
            }
        }
    }

    @Test func `all mistakes are reported at once, each with its remedy`() {
        let told = mistakes(
            ["--qeue", "7", "--work=none", "--listen"],
            ["CALOTYPE_TIMEOUT": "soon", "CALOTYPE_LOG_LEVEL": "loud"],
            file:
                #"{"qualitty": 1, "quality": 101, "presets": ["thumb"], "local-root": {"a": 1}, "key": "zz"}"#
        )
        for part in [
            "--qeue (flag): unknown setting; did you mean queue",
            "work (flag): “none” is not a number in 1…10000",
            "listen (flag): the value is missing", "timeout (CALOTYPE_TIMEOUT): “soon” is not a duration",
            "log-level (CALOTYPE_LOG_LEVEL): “loud” is not allowed; use debug",
            "qualitty (service.json): unknown setting; did you mean quality",
            "quality (service.json): “101” is not a number in 1…100", "presets (service.json): “thumb”",
            "key (service.json): keys and salts must be hexadecimal",
        ] {
            #expect(told.contains { $0.hasPrefix(part) }, "\(part)")
        }
        #expect(told.count == 10, "\(told)")
    }

    @Test func `encoders have their defaults, and each setting changes its own`() throws {
        let plain = try read().settings.service
        var expected = EncoderPreferences()
        (expected.isJPEGProgressive, expected.isPNGInterlaced) = (false, false)
        (expected.quantizesPNG, expected.maxPNGColorCount) = (false, 256)
        expected.webPPreset = .standard
        #expect(plain.encodings.encoders == expected)
        #expect(plain.encodings.nativeEfforts == [.webP: 4, .avif: 8, .jpegXL: 5])
        #expect(!plain.encodings.keepsSmallerOriginals && !plain.encodings.keepsDepth)
        #expect(!plain.showsDamagedOriginals && plain.limits.truncatesAnimations)
        let changed = try read([
            "--jpeg-progressive=true", "--png-quantize=true", "--png-colors=2", "--avif-speed=0",
            "--webp-preset=text", "--keep-smaller-original=true", "--damaged-images=show",
        ]).settings.service
        (expected.isJPEGProgressive, expected.quantizesPNG) = (true, true)
        (expected.maxPNGColorCount, expected.webPPreset) = (2, .text)
        #expect(changed.encodings.encoders == expected)
        #expect(changed.encodings.nativeEfforts[.avif] == 0 && changed.encodings.keepsSmallerOriginals)
        #expect(changed.showsDamagedOriginals)
    }

    @Test(arguments: [
        "--png-colors=1", "--png-colors=257", "--webp-effort=7", "--avif-speed=11", "--jxl-effort=0",
        "--webp-preset=Poster", "--damaged-images=hide", "--jpeg-progressive=maybe",
    ])
    func `a setting of an encoder out of range is one mistake that names it`(argument: String) {
        let told = mistakes([argument])
        #expect(told.count == 1)
        #expect(told.first?.hasPrefix("\(argument.dropFirst(2).prefix { $0 != "=" }) (flag): ") == true)
    }

    @Test func `slashes at the ends of a prefix and of a public URL are ignored`() throws {
        let settings = try read(["--path-prefix=/img//a/", "--public-url=https://a.test/"]).settings
        #expect(
            settings.listeners.pathPrefix == "/img/a" && settings.place(port: 1) == "https://a.test/img/a"
        )
        #expect(try read(["--path-prefix=/"]).settings.listeners.pathPrefix == "")
    }

    @Test func `a format that cannot be encoded is a mistake where it is listed`() {
        let told = mistakes(["--auto-formats=webp,jxl,heic,x", "--sandbox=off"])
        #expect(told.count == 3)
        let remedy = "this service cannot encode “jxl”; set sandbox to on, or remove it"
        #expect(told.first == "auto-formats (flag): \(remedy)")
        #expect(mistakes(file: #"{"auto-formats": ["jxl"], "sandbox": "off"}"#).count == 1)
        #expect(mistakes(["--auto-formats=webp"]).isEmpty && mistakes(["--auto-formats=none"]).isEmpty)
    }

    @Test(arguments: ["on", "best-effort"])
    func `JPEG XL is encoded if codecs run in workers`(sandbox: String) throws {
        let settings = try read(["--auto-formats=jxl,webp", "--sandbox=\(sandbox)"]).settings
        #expect(settings.service.offers == [.jpegXL, .webP] && settings.service.encodings.supports(.jpegXL))
        #expect(try !read(["--sandbox=off"]).settings.service.encodings.supports(.jpegXL))
    }

    @Test func `each feature that is missing without the sandbox is reported in its own line`() {
        #expect(ServiceParts.warnings([], isSandboxed: true).isEmpty)
        let told = ServiceParts.warnings(["SVG text is drawn as boxes"], isSandboxed: false)
        #expect(told.count == 2 && told[0].hasPrefix("SVG text") && told[1].hasPrefix("JPEG XL"))
        #expect(!ServiceParts.codecs(nil).hasDecoder(for: .jpegXL))
    }

    @Test(arguments: ["[]", "{", "null", "7", "{\"quality\": 80"])
    func `a file that is not an object is reported`(text: String) {
        #expect(mistakes(file: text).count == 1)
    }

    @Test func `values of a file may be numbers, booleans and lists`() throws {
        let file =
            #"{"quality": 55, "allow-unsigned": true, "presets": ["a=w:1", "b=h:2"], "attachment": false}"#
        let settings = try read([], file: file).settings
        #expect(settings.service.encodings.qualities[.jpeg] == 55 && !settings.service.isAttachmentByDefault)
        #expect(settings.holding.first { $0.setting == .presets }?.text == "a=w:1,b=h:2")
    }

    @Test func `public addresses require a key, unless unsigned URLs are allowed`() throws {
        for address in [
            "0.0.0.0:80", ":80", "[::]:80", "10.0.0.1:80", "a.example:80", "*:80",
            "127.evil.example:80", "127.0.0.evil:80", "127.0.0.1.nip.io:80", "[::ffff:10.0.0.1]:80",
            "128.0.0.1:80",
        ] {
            #expect(mistakes(["--listen", address]).count == 1, "\(address)")
            #expect(mistakes(["--listen", address, "--allow-unsigned"]).isEmpty, "\(address)")
            #expect(mistakes(["--listen", address, "--key=aabbccdd", "--salt=bb"]).isEmpty, "\(address)")
            #expect(mistakes(["--admin", address]).count == 1, "\(address)")
            #expect(mistakes(["--admin", address, "--admin-token=token"]).isEmpty, "\(address)")
        }
        for address in ["127.0.0.1:80", "[::1]:80", "localhost:80", "127.9.9.9:80", "[::ffff:127.0.0.1]:80"] {
            #expect(mistakes(["--listen", address]).isEmpty, "\(address)")
            #expect(mistakes(["--admin", address]).isEmpty, "\(address)")
        }
    }

    @Test(arguments: [
        "", "80", "127.0.0.1", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:65536", "::1:80", "a b:80",
    ])
    func `parsing an invalid address returns nil`(text: String) {
        #expect(ListenAddress(text) == nil)
    }

    @Test func `if only one grammar has a key, the other is disabled`() throws {
        let imgproxy = try read(["--key=aabbccdd", "--salt=bb"]).settings
        #expect(imgproxy.isSigned && imgproxy.service.thumbor == nil)
        let thumbor = try read(["--thumbor-key=secret"]).settings
        #expect(thumbor.isSigned && thumbor.service.imgproxy == nil)
        let both = try read(["--key=aabbccdd", "--salt=bb", "--thumbor-key=secret"]).settings
        #expect(both.isSigned && both.service.thumbor?.signature.isRequired == true)
    }

    @Test func `secrets are never shown`() throws {
        let settings = try read(["--key=abcdefab", "--salt=123456", "--admin-token=hush"]).settings
        for (setting, text, origin) in settings.holding {
            let json = SettingsPage.record(setting, text, origin).json
            for secret in ["abcdefab", "123456", "hush"] { #expect(!json.contains(secret)) }
        }
        #expect(!mistakes(["--key=abcdexyz", "--admin-token=a secret"]).joined().contains("xyz"))
        #expect(!mistakes(["--admin-token=a secret"]).joined().contains("a secret"))
    }

    @Test func `a local folder is the only source if no others are listed`() throws {
        let alone = try read(["--local-root=/srv/pictures"]).settings.service
        #expect(alone.sources.patterns == nil && alone.sources.includesLocalFiles)
        #expect(alone.localRoot?.absoluteString == "file:///srv/pictures/")
        let named = try read(["--local-root=/srv", "--allowed-sources=a.test"]).settings.service
        #expect(named.sources.patterns?.count == 1 && !named.sources.includesLocalFiles)
    }

    @Test(arguments: [
        ("10s", 10_000), ("250ms", 250), ("2", 2_000), ("1.5m", 90_000), ("1h", 3_600_000),
        ("1d", 86_400_000),
    ])
    func `a time has a unit, and is in seconds without one`(text: String, milliseconds: Int) {
        #expect(SettingReader.duration(text) == .milliseconds(milliseconds))
    }

    @Test(arguments: ["", "s", "-1s", "1y", "1e9", "99999999999999d"])
    func `parsing an invalid time returns nil`(text: String) {
        #expect(SettingReader.duration(text) == nil)
    }
}
