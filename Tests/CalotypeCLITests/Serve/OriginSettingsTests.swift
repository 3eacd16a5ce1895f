import CalotypeLoading
import CalotypeTesting
import Foundation
import TestSupport
import Testing

@testable import CalotypeCLI

private func origins(_ object: String) throws -> [OriginDescription] {
    let file = ("service.json", Data(#"{"origins": \#(object), "queue": 7}"#.utf8))
    let settings = try SettingsSource([], [:], file).settings
    #expect(settings.tiers.maxWaitingCount == 7)
    return settings.sources.origins
}

@Suite(.gated) struct OriginSettingsTests {
    private static let hush = "hush-hush-hush"

    @Test func `origins are an object of a file, or JSON in a variable or a flag`() throws {
        let text = """
            {"https://images.example": {"headers": {"X-Shop": "7", "Referer": "https://shop.example/"},
             "header-files": {"X-Key": "/run/secrets/key"}, "bearer-token-file": "/run/secrets/token",
             "ca-file": "/etc/ca.pem", "client-certificate-file": "$CREDENTIALS_DIRECTORY/client.pem",
             "client-key-file": "/run/secrets/client.key", "identity": "shop"},
             "https://*.images.example:8443/": {"user": "shop", "password-file": "/run/secrets/password"},
             "http://10.0.0.5": {}}
            """
        let found = [
            try origins(text), try SettingsSource([], ["CALOTYPE_ORIGINS": text]).settings.sources.origins,
            try SettingsSource(["--origins", text], [:]).settings.sources.origins,
        ]
        #expect(found[0] == found[1] && found[1] == found[2] && found[0].count == 3)
        let byPattern = Dictionary(uniqueKeysWithValues: found[0].map { ($0.pattern.description, $0) })
        let exact = try #require(byPattern["https://images.example"])
        #expect(exact.headers["X-Shop"] == "7" && exact.headerFiles["X-Key"] == "/run/secrets/key")
        #expect(exact[.identity] == "shop" && exact[.user] == nil)
        #expect(
            exact.summary
                == "Referer, X-Key, X-Shop, Authorization (bearer token), a client certificate, "
                + "own certificate authorities"
        )
        #expect(byPattern["https://*.images.example:8443"]?.summary == "Authorization (basic)")
        #expect(byPattern["http://10.0.0.5"]?.summary == "none")
        #expect(try origins("{}").isEmpty)
    }

    @Test(arguments: [
        (#"{"https://a.test": {"pasword-file": "/x"}}"#, "unknown member “pasword-file”; did you mean"),
        (#"{"https://a.test": {"bearer-token": "HUSH"}}"#, "unknown member “bearer-token”"),
        (#"{"https://a.test": {"bearer-token-file": "HUSH"}}"#, "the path must begin with / or"),
        (#"{"https://a.test": {"bearer-token-file": ""}}"#, "it is empty"),
        (#"{"https://a.test": {"bearer-token-file": 7}}"#, "it must be a string in quotes"),
        (#"{"https://a.test": {"bearer-token-file": "/a\nb"}}"#, "control character"),
        (#"{"https://a.test": {"user": "a"}}"#, "belong together"),
        (#"{"https://a.test": {"password-file": "/x"}}"#, "belong together"),
        (#"{"https://a.test": {"user": "a:b", "password-file": "/x"}}"#, "colon"),
        (
            #"{"https://a.test": {"user": "a", "password-file": "/x", "bearer-token-file": "/x"}}"#,
            "exclude each other"
        ),
        (
            #"{"https://a.test": {"headers": {"authorization": "HUSH"}, "bearer-token-file": "/x"}}"#,
            "occurs twice"
        ),
        (
            #"{"https://a.test": {"headers": {"X-Key": "HUSH"}, "header-files": {"x-key": "/x"}}}"#,
            "occurs twice"
        ),
        (#"{"https://a.test": {"headers": {"X-Key": "HUSH\r\nX-Evil: 1"}}}"#, "“x-key” has a line break"),
        (#"{"https://a.test": {"headers": {"X-Key\r\nX-Evil": "HUSH"}}}"#, "a name has a line break"),
        (#"{"https://a.test": {"headers": {"Host": "HUSH"}}}"#, "“host” is set by the loader itself"),
        (#"{"https://a.test": {"header-files": {"Range": "/x"}}}"#, "“range” is set by the loader itself"),
        (#"{"https://a.test": {"headers": ["HUSH"]}}"#, "it must be an object"),
        (#"{"https://a.test": {"headers": {"X-Key": 7}}}"#, "“X-Key” must be a string in quotes"),
        (#"{"https://a.test": {"client-key-file": "/x"}}"#, "needs client-certificate-file"),
        (#"{"http://a.test": {"ca-file": "/x"}}"#, "certificates are used over https only"),
        (#"{"https://a.test": "HUSH"}"#, "it must be an object"),
        (#"{"a.test": {}}"#, "the scheme is missing"), (#"{"https://*": {}}"#, "not an origin"),
        (#"{"https://u:HUSH@a.test": {}}"#, "not an origin"), (#"{"https://a.test/x": {}}"#, "not an origin"),
        (#"{"https://a.test.": {}}"#, "final dot"),
        (#"{"https://a.test": {}, "HTTPS://A.test:443": {}}"#, "another entry is the same origin"),
    ])
    func `a mistake in an origin is reported at the start, without values`(object: String, part: String) {
        let object = object.replacing("HUSH", with: Self.hush)
        for told in [
            mistakes(file: #"{"origins": \#(object)}"#), mistakes([], ["CALOTYPE_ORIGINS": object]),
        ] {
            #expect(told.count == 1 && told[0].hasPrefix("origins ("), "\(told)")
            #expect(told[0].contains(part), "\(told)")
            #expect(!told[0].contains(Self.hush), "\(told)")
        }
    }

    @Test(arguments: ["7", "[]", "true", "null", #""hush-hush-hush""#, #""{""#, #""[]""#, #""""#])
    func `a value of another type is one mistake`(value: String) {
        let told = mistakes(file: #"{"origins": \#(value)}"#)
        #expect(told.count == 1 && told[0].hasPrefix("origins (service.json): "), "\(told)")
        #expect(!told.joined().contains(Self.hush))
    }

    @Test func `inline fields are never shown`() throws {
        let text = #"{"https://a.test": {"headers": {"X-Key": "hush-hush-hush"}}}"#
        let settings = try SettingsSource([], ["CALOTYPE_ORIGINS": text]).settings
        for (setting, text, origin) in settings.holding {
            #expect(!SettingsPage.record(setting, text, origin).json.contains(Self.hush))
        }
    }

    @Test func `secrets on their way to a public host without TLS cause a warning`() throws {
        func warnings(_ origin: String) throws -> [String] {
            let text = #"{"\#(origin)": {"bearer-token-file": "/x"}}"#
            return try SettingsSource([], ["CALOTYPE_ORIGINS": text]).warnings
        }
        #expect(try warnings("http://a.test").count == 1)
        for origin in ["https://a.test", "http://10.0.0.5", "http://localhost:81", "http://[::1]"] {
            #expect(try warnings(origin).isEmpty, "\(origin)")
        }
    }

    @Test func `a referer must be ASCII, and the file of certificates is a setting of its own`() throws {
        #expect(mistakes(["--referer=ä"]).first?.hasPrefix("referer (flag): ") == true)
        #expect(mistakes(["--referer=a\r\nX: y"]).first?.hasPrefix("referer (flag): ") == true)
        let sources = try SettingsSource(["--referer=https://a.test/", "--source-ca-file=/x"], [:]).settings
            .sources
        #expect(sources.referer == "https://a.test/" && sources.trustRootsPath == "/x")
    }

    @Test(arguments: [
        ("https://images.example/a.jpg", "X-Key (origins: https://images.example)"),
        ("https://x.images.example/a.jpg", "none (origins: https://*.images.example)"),
        ("https://images.example:444/a.jpg", "none: no pattern of origins matches"),
    ])
    func `the explanation of a URL names what is sent, without values`(source: String, text: String) throws {
        let object = """
            {"https://images.example": {"headers": {"X-Key": "hush-hush-hush"}},
             "https://*.images.example": {}}
            """
        let settings = try SettingsSource([], ["CALOTYPE_ORIGINS": object]).settings
        let told = URLCheck(settings).lines(about: "/unsafe/plain/\(source)").told
        #expect(told.contains { $0 == ("credentials", text) }, "\(told)")
        let none = try URLCheck(SettingsSource([], [:]).settings).lines(about: "/unsafe/plain/\(source)").told
        #expect(!none.contains { $0.0 == "credentials" })
    }

    @Test func `variables of imgproxy that would open or break sources are mistakes`() throws {
        for name in ["IGNORE_SSL_VERIFICATION", "COOKIE_PASSTHROUGH", "COOKIE_PASSTHROUGH_ALL"] {
            let told = mistakes([], ["IMGPROXY_\(name)": "true"])
            #expect(told.count == 1 && told[0].hasPrefix("IMGPROXY_\(name) (environment): "), "\(told)")
            #expect(told[0].contains("origins"))
            #expect(try SettingsSource([], ["IMGPROXY_\(name)": "false"]).warnings.isEmpty)
            #expect(mistakes([], ["IMGPROXY_\(name)": "maybe"]).count == 1)
        }
        let custom = mistakes([], ["IMGPROXY_CUSTOM_REQUEST_HEADERS": "X-Key=hush-hush-hush"])
        #expect(custom.count == 1 && !custom[0].contains(Self.hush) && custom[0].contains("set origins"))
    }

    @Test func `a reload takes new origins`() throws {
        let old = try SettingsSource([], ["CALOTYPE_ORIGINS": #"{"https://a.test": {}}"#]).settings
        let new = try SettingsSource([], ["CALOTYPE_ORIGINS": #"{"https://b.test": {}}"#]).settings
        #expect(old.reloaded(from: new).sources.origins.map(\.pattern.host) == ["b.test"])
        #expect(new.changes(since: old).map(\.name) == ["origins"])
    }
}

/// The files of secrets and certificates that settings name.
@Suite(.gated) struct OriginFileTests {
    private let folder: ScratchFolder

    init() throws { folder = try ScratchFolder() }

    @discardableResult
    private func write(_ name: String, _ text: String, mode: mode_t = 0o600) throws -> String {
        let path = "\(folder.path)/\(name)"
        try Data(text.utf8).write(to: URL(filePath: path))
        chmod(path, mode)
        return path
    }

    private func settings(_ members: [String: Any]) throws -> ServeSettings {
        let data = try JSONSerialization.data(withJSONObject: ["https://a.test": members])
        return try SettingsSource([], ["CALOTYPE_ORIGINS": String(decoding: data, as: UTF8.self)]).settings
    }

    private func told(_ settings: ServeSettings) async throws -> [String] {
        do throws(SettingMistakes) {
            try await SettingFiles(settings).check()
            return []
        } catch {
            return error.mistakes.map(\.description)
        }
    }

    private func headers(_ members: [String: Any], _ environment: [String: String] = [:]) async throws
        -> [HeaderField]
    {
        let credentials = try await OriginFiles(settings(members), environment).credentials()
        return credentials.values.flatMap(\.headers)
    }

    @Test func `secrets are the single line of a file`() async throws {
        let (key, token) = (try write("key", "k e y\r\n"), try write("token", "abc"))
        let password = try write("password", "pä:ss\n")
        #expect(
            try await headers(["header-files": ["X-Key": key], "bearer-token-file": token])
                == [HeaderField("X-Key", "k e y"), HeaderField("Authorization", "Bearer abc")]
        )
        let pair = Data("shop:pä:ss".utf8).base64EncodedString()
        #expect(
            try await headers(["user": "shop", "password-file": password])
                == [HeaderField("Authorization", "Basic \(pair)")]
        )
        let variable = ["CREDENTIALS_DIRECTORY": folder.path]
        let short = ["bearer-token-file": "$CREDENTIALS_DIRECTORY/token"]
        #expect(try await headers(short, variable) == [HeaderField("Authorization", "Bearer abc")])
        // As secrets of Kubernetes are.
        symlink(token, "\(folder.path)/link")
        #expect(try await headers(["bearer-token-file": "\(folder.path)/link"]).count == 1)
    }

    @Test(arguments: [
        ("", "is empty"), ("\n", "is empty"), ("hush\nhush\n", "line break"),
        ("hush\r\nX-Evil: 1", "line break"),
        ("hush\n\n", "line break"), ("hush\u{0}", "control character"), (" hush", "white space"),
        ("hush ", "white space"), ("\u{FEFF}hush", "byte order mark"), ("hush ä", "ASCII"),
        (String(repeating: "hush", count: 5_000), "cannot read"),
    ])
    func `a file that is not a secret in one line is a mistake with its setting and path`(
        text: String,
        part: String
    ) async throws {
        let path = try write("token", text)
        let told = try await told(settings(["bearer-token-file": path]))
        #expect(told.count == 1, "\(told)")
        let message = told.first ?? ""
        #expect(message.hasPrefix("origins (CALOTYPE_ORIGINS): https://a.test: "), "\(message)")
        #expect(message.contains(part) && !message.contains("hush"), "\(message)")
    }

    @Test func `a missing file, a folder and an unset variable are mistakes`() async throws {
        for (path, part) in [
            ("/nowhere/at/all", "cannot open “/nowhere/at/all”"), ("/", "is not a regular file"),
            ("/dev/zero", "is not a regular file"),
        ] {
            for member in ["bearer-token-file", "ca-file", "client-certificate-file"] {
                let told = try await told(settings([member: path]))
                #expect(told.count == 1 && told[0].contains(part), "\(told)")
            }
            let told = try await told(SettingsSource(["--source-ca-file", path], [:]).settings)
            #expect(told.count == 1 && told[0].hasPrefix("source-ca-file (flag): "), "\(told)")
            #expect(told[0].contains(part), "\(told)")
        }
        let unset = try settings(["bearer-token-file": "$CREDENTIALS_DIRECTORY/token"])
        let error = await #expect(throws: SettingMistakes.self) {
            try await OriginFiles(unset, [:]).credentials()
        }
        #expect(error?.mistakes.first?.detail.contains("LoadCredential=") == true)
        let nonsense = try write("nonsense.pem", "nonsense")
        for member in ["ca-file", "client-certificate-file"] {
            let told = try await told(settings([member: nonsense]))
            #expect(told.count == 1 && told[0].contains("nonsense.pem”: "), "\(told)")
        }
    }

    @Test(arguments: [(0o600, false), (0o640, false), (0o644, true), (0o604, true), (0o400, false)])
    func `a world-readable file of a secret causes a warning, and one of authorities does not`(
        mode: Int,
        isWarned: Bool
    ) async throws {
        let path = try write("token", "abc", mode: mode_t(mode))
        let files = [("bearer-token-file", true), ("client-key-file", true), ("ca-file", false)]
        for (member, isSecret) in files {
            var members = [member: path]
            if member == "client-key-file" { members["client-certificate-file"] = "/x" }
            let warnings = try OriginFiles(settings(members), [:]).warnings
            #expect(warnings.count == (isWarned && isSecret ? 1 : 0), "\(member): \(warnings)")
            #expect(warnings.allSatisfy { $0.hasPrefix("origins (") && $0.contains("chmod o=") })
        }
        let text = #"{"https://a.test": {"bearer-token-file": "\#(path)"}}"#
        let source = try await SettingsSource.read([], ["CALOTYPE_ORIGINS": text], file: nil)
        #expect(source.warnings.count == (isWarned ? 1 : 0))
    }
}
