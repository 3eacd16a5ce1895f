import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing

@testable import CalotypeLoading

@Suite(.waiting)
struct `Credentials of origins` {
    @Test(arguments: [
        ("X-Key", "hush\r\nX-Evil: 1"), ("X-Key", "hush\nb"), ("X-Key", "hush\r"), ("X-Key", "hush\u{0}"),
        ("X-Key", "hush\u{7F}"), ("X-Key", "hush ä"), ("X-Key", "hush\u{2028}b"), ("", "hush"),
        ("X Key", "hush"), ("X-Key:", "hush"), ("X\r\nY", "hush"), ("Ä", "hush"),
        ("Host", "hush"), ("Content-Length", "hush"), ("Transfer-Encoding", "hush"), ("connection", "hush"),
        ("Expect", "hush"), ("Range", "hush"), ("If-None-Match", "hush"), ("If-Range", "hush"),
        ("Accept-Encoding", "hush"), ("Proxy-Authorization", "hush"), ("TE", "hush"), ("Upgrade", "hush"),
    ])
    func `a field that cannot be sent, or belongs to the loader, is rejected without its value`(
        name: String,
        value: String
    ) {
        let error = #expect(throws: FetchError.self) {
            try OriginCredentials(headers: [HeaderField(name, value)])
        }
        #expect(error?.code == .invalidRequest)
        #expect(error?.detail.contains("hush") == false)
        #expect(error?.detail.contains { $0.isNewline } == false)
    }

    @Test func `a name occurs once`() throws {
        let fields = [HeaderField("Cookie", "a=1"), HeaderField("cookie", "b=2")]
        #expect(throws: FetchError.self) { try OriginCredentials(headers: fields) }
        #expect(try OriginCredentials(headers: [fields[0], HeaderField("X-Empty", "")]).headers.count == 2)
    }

    @Test func `basic authentication and bearer tokens are header fields`() throws {
        let basic = try HeaderField.authorization(user: "Aladdin", password: "open sesame")
        // RFC 7617 section 2.
        #expect(basic == HeaderField("Authorization", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="))
        let bearer = try HeaderField.authorization(bearerToken: "mF_9.B5f-4.1JqM")
        #expect(bearer == HeaderField("Authorization", "Bearer mF_9.B5f-4.1JqM"))
        for (user, password) in [("a:b", "c"), ("a", "b\r\nc"), ("a\n", "b"), ("a", "\u{0}")] {
            #expect(throws: FetchError.self) {
                try HeaderField.authorization(user: user, password: password)
            }
        }
        for token in ["", "a b", "a\n", "a\r\nX: y", "ä", "\u{FEFF}a"] {
            #expect(throws: FetchError.self) { try HeaderField.authorization(bearerToken: token) }
        }
    }

    private func identity(
        _ headers: [HeaderField],
        named name: String? = nil,
        at url: String = "https://a.test/x"
    ) throws -> String {
        var credentials = try OriginCredentials(headers: headers)
        credentials.identity = name
        let table = try OriginTable([OriginPattern("https://a.test"): credentials])
        let loader = HTTPDataLoader(.with { $0.origins = table })
        #expect(loader.hasCacheIdentity)
        return loader.cacheIdentity(for: FetchRequest(url: try #require(URL(string: url))))
    }

    @Test func `the identity differs for other credentials, and contains none`() throws {
        let first = try identity([HeaderField("X-Key", "hush1")])
        #expect(first != "" && !first.contains("hush1"))
        #expect(try identity([HeaderField("x-key", "hush1")]) == first)
        #expect(try identity([HeaderField("X-Key", "hush2")]) != first)
        #expect(try identity([HeaderField("X-Keyh", "ush1")]) != first)
        #expect(try identity([HeaderField("X-Key", "hush1")], at: "https://b.test/x") == "")
        #expect(try identity([]) == "")
        let named = try identity([HeaderField("X-Key", "hush1")], named: "shop")
        #expect(try identity([HeaderField("X-Key", "hush2")], named: "shop") == named)
        #expect(try identity([HeaderField("X-Key", "hush2")], named: "other") != named)
        #expect(!HTTPDataLoader().hasCacheIdentity)
    }

    @Test func `certificates for an origin without TLS are rejected`() throws {
        var credentials = try OriginCredentials()
        credentials.trustRoots = try HTTPDataLoader.TrustRoots(pem: try TestCertificate().certificate)
        #expect(throws: FetchError.self) { try OriginTable([OriginPattern("http://a.test"): credentials]) }
        let table = try OriginTable([OriginPattern("https://a.test"): credentials])
        #expect(throws: FetchError.self) {
            try table.replace(with: [OriginPattern("http://a.test"): credentials])
        }
        // Trust roots do not change what an origin sends.
        #expect(table.cacheIdentity(for: try #require(URL(string: "https://a.test/"))) == "")
    }

    @Test func `a client certificate needs its own key, in clear`() throws {
        let (one, other) = (try TestCertificate(), try TestCertificate())
        let key = try Data(contentsOf: URL(filePath: one.files.key))
        let foreign = try Data(contentsOf: URL(filePath: other.files.key))
        _ = try HTTPDataLoader.ClientCertificate(pem: one.certificate, key: key)
        _ = try HTTPDataLoader.ClientCertificate(pem: one.certificate + key)
        _ = try HTTPDataLoader.ClientCertificate(pem: key + one.certificate + other.certificate)
        let rows: [(Data, Data?, String)] = [
            (one.certificate, foreign, "does not belong"), (one.certificate, nil, "private key"),
            (one.certificate, Data(), "private key"), (Data(), key, "not in PEM form"),
            (Data("nonsense".utf8), key, "not in PEM form"), (one.certificate.prefix(100), key, "PEM"),
        ]
        for (pem, key, part) in rows {
            let error = #expect(throws: FetchError.self) {
                try HTTPDataLoader.ClientCertificate(pem: pem, key: key)
            }
            #expect(error?.code == .insecureConnection && error?.detail.contains(part) == true, "\(part)")
        }
    }

    @Test func `an error contains no secret, in whatever case a response repeats it`() throws {
        let headers = [
            try HeaderField.authorization(user: "shop", password: "Open-Sesame"),
            HeaderField("X-Key", "KEY1"), HeaderField("Accept", "image/png"), HeaderField("X-Short", "a"),
        ]
        let table = try OriginTable([
            OriginPattern("https://a.test"): try OriginCredentials(headers: headers)
        ])
        let snapshot = table.snapshot
        #expect(snapshot.redacted("x open-sesame y, key1KEY1") == "x … y, ……")
        #expect(snapshot.redacted("got \(headers[0].value)") == "got …")
        #expect(snapshot.redacted("the type is image/png, a") == "the type is image/png, a")
        var error = FetchError(.invalidResponse, status: 500, isRetryable: true, detail: "é key1")
        error.answeringURL = URL(string: "https://a.test/")
        let redacted = snapshot.redacted(error)
        #expect(redacted.detail == "é …" && redacted.status == 500 && redacted.isRetryable)
        #expect(redacted.answeringURL == error.answeringURL && redacted.code == .invalidResponse)
    }
}
