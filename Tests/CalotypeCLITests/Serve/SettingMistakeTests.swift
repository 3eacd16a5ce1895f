import Foundation
import TestSupport
import Testing

@testable import CalotypeCLI

func mistakes(
    _ arguments: [String] = [],
    _ environment: [String: String] = [:],
    file: String? = nil
) -> [String] {
    do throws(SettingMistakes) {
        _ = try SettingsSource(arguments, environment, file.map { ("service.json", Data($0.utf8)) })
        return []
    } catch {
        return error.mistakes.map(\.description)
    }
}

/// Setting values that would start another service than the operator intends.
@Suite(.gated) struct SettingMistakeTests {
    private static let signed = ["--key=00112233445566778899aabbccddeeff", "--salt=aabb"]

    @Test(arguments: [
        ("--presets=a=foo:1", "presets (flag): preset “a”: unknown option “foo”"),
        ("--presets=a=w:x", "presets (flag): preset “a”: “w”"),
        ("--presets=a=ba:1", "presets (flag): preset “a”: “ba”: not supported by this service"),
        ("--presets=a=pr:b", "presets (flag): preset “a”: unknown preset “b”"),
        ("--presets=a=pr:b,b=pr:a", "presets (flag): preset “a”: the preset “a” includes itself"),
        ("--only-presets", "only-presets (flag): no preset is defined"),
        (
            "--allowed-options=w,widht",
            "allowed-options (flag): unknown option “widht”; did you mean "
        ),
        ("--allowed-options=ba", "allowed-options (flag): unknown option “ba”"),
        ("--allowed-sources=images.example/*", "allowed-sources (flag): “images.example/*”: remove the *"),
        ("--allowed-sources=http://*", "allowed-sources (flag): "),
        ("--allowed-sources=a.*.example", "allowed-sources (flag): "),
        ("--allowed-sources=10.0.0.1", "allowed-sources (flag): 10.0.0.1 is not a public Internet"),
        ("--allowed-sources=http://[::1]:81/a", "allowed-sources (flag): ::1 is not a public Internet"),
        ("--allowed-sources=localhost", "allowed-sources (flag): localhost is not a public Internet"),
        ("--allowed-sources=local:///a", "allowed-sources (flag): local:/// has no folder"),
        ("--user-agent=a\r\nX-Evil: b", "user-agent (flag): it contains a control character"),
        ("--user-agent=ä", "user-agent (flag): it has a non-ASCII character"),
        ("--path-prefix=images", "path-prefix (flag): the path must begin with /"),
        ("--path-prefix=/a b", "path-prefix (flag): it has characters not allowed"),
        ("--path-prefix=/a?b", "path-prefix (flag): it has characters not allowed"),
        ("--path-prefix=/a/../b", "path-prefix (flag): it has the segment . or .."),
        ("--public-url=pictures.example", "public-url (flag): it is not a base URL"),
        ("--public-url=https://a.example/?b", "public-url (flag): it is not a base URL"),
        ("--base-url=ftp://a.example/", "base-url (flag): no source can begin with it"),
        ("--signature-size=1", "signature-size (flag): “1” is not a number in 8…32"),
        ("--thumbor-key=x", "thumbor-key (flag): a secret of 1 bytes can be guessed"),
        ("--admin-token=x", "admin-token (flag): a secret of 1 bytes can be guessed"),
        ("--trusted-signatures=hush", "trusted-signatures (flag): no key is set"),
        ("--fallback-status=404", "fallback-status (flag): no fallback image is set"),
        ("--watermark-opacity=1.1", "watermark-opacity (flag): “1.1” is not a number in 0…1"),
        ("--watermark-opacity=nan", "watermark-opacity (flag): “nan” is not a number in 0…1"),
        ("--watermark-url=ftp://a.test/a", "watermark-url (flag): “ftp://a.test/a” is not a valid source"),
        ("--watermark-url=http://10.0.0.1/a", "watermark-url (flag): 10.0.0.1 is not a public Internet"),
        ("--watermark-url=local:///a", "watermark-url (flag): local:/// has no folder"),
        ("--watermark-data=/srv/logo.png", "watermark-data (flag): it is not an image in base64"),
        ("--admin=127.0.0.1:8080", "admin (flag): listen already uses 127.0.0.1:8080"),
        ("--allow-private-sources=10.0.0.0/33", "allow-private-sources (flag): “10.0.0.0/33” is not an"),
        ("--allow-private-sources=10", "allow-private-sources (flag): “10” is not an address range"),
        ("--allow-private-sources=maybe", "allow-private-sources (flag): “maybe” is not an address range"),
    ])
    func `an ambiguous value is rejected`(flag: String, start: String) {
        let told = mistakes([flag])
        #expect(told.contains { $0.hasPrefix(start) }, "\(told)")
    }

    @Test func `settings that contradict each other are refused`() {
        #expect(mistakes(["--svg=draw", "--sandbox=off"]).count == 1)
        #expect(mistakes(["--worker-memory=2GB", "--workers-memory=1GB"]).count == 1)
        #expect(mistakes(["--source-min-age=2m", "--source-max-age=1m"]).count == 1)
        #expect(mistakes(["--key=aa", "--salt=bb"]).first?.contains("1 bytes can be guessed") == true)
        #expect(mistakes(["--watermark-path=/a", "--watermark-url=http://a.test/a"]).count == 1)
        #expect(mistakes(Self.signed + ["--trusted-signatures=a/b"]).count == 1)
    }

    @Test(arguments: [" ", ":", "::", "/", "a", "=", ",x", "@", "-", ".", "%", "?", "#", "\u{0}", "ü", "|"])
    func `a separator that can occur elsewhere in a path is rejected`(separator: String) {
        let told = mistakes(["--separator=\(separator)"])
        #expect((separator == ":") == told.isEmpty, "\(told)")
        #expect(told.allSatisfy { $0.hasPrefix("separator (flag)") })
    }

    @Test func `presets are read with the separator in force`() {
        #expect(mistakes(["--separator=;", "--presets=a=w;9/h;8"]).isEmpty)
        #expect(mistakes(["--separator=;", "--presets=a=w:9"]).count == 1)
    }

    @Test func `an unsupported guard of imgproxy is rejected, not ignored`() {
        for name in ["SECRET", "ENV_LOCAL_FILE_PATH", "SOURCE_URL_ENCRYPTION_KEY"] {
            let told = mistakes([], ["IMGPROXY_\(name)": "secret value"])
            #expect(told.count == 1 && told[0].hasPrefix("IMGPROXY_\(name) (environment): "), "\(told)")
            #expect(!told.joined().contains("secret value"))
        }
        #expect(mistakes([], ["IMGPROXY_AUTO_WEBP": "maybe"]).count == 1)
        #expect(mistakes([], ["IMGPROXY_ALWAYS_RASTERIZE_SVG": "maybe"]).count == 1)
    }

    @Test func `a misspelt variable is a mistake, and one of another program a warning`() throws {
        let typed = mistakes([], ["CALOTYPE_TIMOUT": "1s"])
        #expect(typed.first?.contains("did you mean CALOTYPE_TIMEOUT?") == true)
        let misspelt = mistakes([], ["CALOTYPE_ALLOWED_SOURCE": "a.test"])
        #expect(misspelt.first?.contains("ALLOWED_SOURCES") == true)
        let source = try SettingsSource([], ["CALOTYPE_SOMETHING_ELSE": "1", "CALOTYPE_KEY": ""])
        #expect(source.warnings.count == 2, "\(source.warnings)")
    }

    @Test(arguments: [
        "DOMAIN", "DIR", "WORKERS", "USER", "LOG", "CACHE", "SOURCE", "PUBLIC", "KEYS", "QEUE",
    ])
    func `a variable that may be of another program is a warning`(name: String) throws {
        let source = try SettingsSource([], ["CALOTYPE_\(name)": "1"])
        #expect(source.warnings.count == 1, "\(source.warnings)")
    }

    @Test func `variables of this package's builds are ignored`() throws {
        #expect(try SettingsSource([], ["CALOTYPE_LOCAL": "1"]).warnings.isEmpty)
    }

    @Test func `a maximum age below the default minimum lowers the minimum`() throws {
        let sources = try SettingsSource(["--source-max-age=1m"], [:]).settings.sources
        #expect(sources.minLifetime == .seconds(60) && sources.maxLifetime == .seconds(60))
    }

    @Test(arguments: [
        #""allowed-sources": []"#, #""allowed-sources": """#, #""allowed-sources": [""]"#,
        #""allowed-sources": [" "]"#, #""allowed-sources": ",""#, #""allowed-sources": null"#,
        #""allowed-sources": 7"#, #""allowed-sources": [7]"#, #""allowed-sources": [["a.test"]]"#,
        #""allowed-sources": {"a": 1}"#, #""allowed-sources": true"#, #""presets": {}"#,
        #""queue": true"#, #""queue": [5]"#, #""queue": null"#, #""queue": 5.5"#, #""queue": "5 ""#,
        #""key": 12345678"#, #""thumbor-key": 12345678"#, #""thumbor-key": """#, #""admin-token": false"#,
        #""log-level": 1"#, #""listen": 8080"#, #""attachment": 1"#, #""attachment": [true]"#,
        #""timeout": true"#, #""timeout": ["1s"]"#, #""memory": false"#, #""memory": {}"#,
        #""allow-private-sources": 1"#, #""allow-private-sources": [true]"#, #""local-root": " /srv""#,
    ])
    func `a value of the wrong type is one mistake, and never the default`(member: String) {
        let told = mistakes(file: "{\(member)}")
        let name = member.split(separator: "\"").first.map(String.init) ?? ""
        #expect(told.count == 1 && told[0].hasPrefix("\(name) (service.json): "), "\(told) \(name)")
    }

    private static let odd = [
        "", " ", "\t", "\n", "-1", "1e99", "NaN", "inf", "0x10", "99999999999999999999", "none at all",
        "\u{0}",
    ]

    /// Whether text of any kind is a value of a setting, such as a key of thumbor's.
    private static func takesText(_ setting: ServeSetting) -> Bool {
        switch setting.kind {
        case .text, .list: true
        default: false
        }
    }

    @Test(arguments: ServeSetting.all.map(\.name))
    func `no invalid value of any setting is accepted silently`(name: String) throws {
        let setting = try #require(ServeSetting.all.first { $0.name == name })
        for text in Self.odd {
            let isBlank = text.allSatisfy { $0.isWhitespace || $0 == "\u{0}" }
            guard isBlank || !Self.takesText(setting) else { continue }
            let json = try String(decoding: JSONEncoder().encode([name: text]), as: UTF8.self)
            for told in [
                mistakes(["\(setting.flag)=\(text)"]), mistakes(file: json),
                text.isEmpty ? ["\(name) "] : mistakes([], [setting.variable: text]),
            ] {
                #expect(told.contains { $0.hasPrefix("\(name) ") }, "\(name)=\(text.debugDescription)")
            }
        }
    }

    @Test func `a number below its range is rejected in each setting`() {
        for setting in ServeSetting.all {
            let zero: String? =
                switch setting.kind {
                case .count(let range) where range.lowerBound > 0: "0"
                case .bytes(let range) where range.lowerBound > 0: "0"
                case .duration(let range) where range.lowerBound > .zero: "0s"
                default: nil
                }
            guard let zero else { continue }
            // Without other settings some have no effect, which is a mistake too.
            let told = mistakes(["\(setting.flag)=\(zero)"]).filter { $0.contains("“\(zero)”") }
            #expect(told.count == 1, "\(setting.name)")
        }
    }
}
