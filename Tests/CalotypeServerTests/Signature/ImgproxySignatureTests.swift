import CalotypeServer
import TestSupport
import Testing

/// Signatures with the values of imgproxy's tests and clients.
@Suite(.gated) struct ImgproxySignatureTests {
    private static func grammar(
        keys: String = "736563726574",
        salts: String = "68656C6C6F",
        byteCount: Int = 32,
        trusted: Set<String> = []
    ) throws -> ImgproxyGrammar {
        let keys = try #require(SigningKey.keys(hex: keys, salts: salts))
        return ImgproxyGrammar(
            signature: ImgproxySignature(keys: keys, byteCount: byteCount, trusted: trusted)
        )
    }

    private static let fitted = "/rs:fit:300:300/\(examplePath)"
    private static let fittedSignature = "-jPhIP7juOGa2u66Muf8SKsg8TY1C9K_N-1ahIkB5GI"

    @Test(arguments: [
        ("/\(examplePath)", "xa6Njl6YnUnysMLqLPV8AwWYF_RXW4tUmDo2ZqLkM3o"),
        ("/resize:fill:300:300/gravity:no/\(examplePath)@png", "cy2RXt9rkQMNILQF5xNCTVxEz3YzpKyxWzD2WenpRIc"),
        ("/rs:fill:2000:2000:1/\(examplePath)", "JAsdJOdhx7E8WqgmfcedV2mVuzrx-iIu0oUPMxCCY5o"),
        ("/c:400.9:100.5:nowe:10:0.1/\(examplePath)", "E3GxZXpDCdSpbSsfUJrLOkjXkJqP6Muld4rd8reau2E"),
        (
            "/rs:fit:300:300/aHR0cDov/L3NyYy50/ZXN0L3Bo/b3RvLmpw/Zw.webp",
            "J4YRoCkgQT-Z7mwJ9XiP-K01VuK99pnrtxr-_eNIeps"
        ),
        (
            "/rs:fit:300:300/plain/http://src.test/ph%25C3%25B6to%20a+b.jpg",
            "iqSKi4vy-iy-NEV9VushtDBme2QwEmrIE3FqMJS5KOk"
        ),
        ("/skp:jpg/rs:fit:100:100/\(examplePath)", "wiyPv86kBmJlA5zwPyUAzpTcF8yFfpaLupYGwEnYvZY"),
    ])
    func `a path has imgproxy's signature, and passes with it`(
        path: String,
        signature: String
    ) throws {
        let grammar = try Self.grammar()
        #expect(try grammar.signed(path) == "/\(signature)\(path)")
        _ = try grammar.rendering(of: "/\(signature)\(path)")
    }

    @Test(arguments: [
        (32, "6n-oI91vtf6TOgYEGTanYKeDLN1VrLdhKLMSGqYSfgc"), (8, "6n-oI91vtf4"),
    ])
    func `a signature is truncated to the configured bytes`(byteCount: Int, signature: String) throws {
        let grammar = try Self.grammar(byteCount: byteCount)
        let path = "/resize:fill:300:300/format:webp/aHR0cDovL3NyYy50ZXN0L3Bob3RvLmpwZw"
        #expect(try grammar.signed(path) == "/\(signature)\(path)")
        _ = try grammar.rendering(of: "/\(signature)\(path)")
        let other = try Self.grammar(byteCount: 40 - byteCount)
        #expect(refusal { _ = try other.rendering(of: "/\(signature)\(path)") } == .invalidSignature)
    }

    @Test func `all rotated keys verify, and the first signs`() throws {
        let grammar = try Self.grammar(keys: "736563726574,deadbeef", salts: "68656C6C6F,cafe")
        _ = try grammar.rendering(of: "/\(Self.fittedSignature)\(Self.fitted)")
        _ = try grammar.rendering(of: "/YjWrAWvE6MYzEkFtrpPo8Ni3cyfnqIWCqcr8tXJsxRM\(Self.fitted)")
        #expect(try grammar.signed(Self.fitted) == "/\(Self.fittedSignature)\(Self.fitted)")
    }

    @Test func `raw keys give the signatures of imgproxy's unit tests`() throws {
        let keys = [
            SigningKey(key: Array("test-key".utf8), salt: Array("test-salt".utf8)),
            SigningKey(key: Array("test-key2".utf8), salt: Array("test-salt2".utf8)),
        ]
        let signature = ImgproxySignature(keys: keys)
        #expect(signature.signature(of: "/asd") == "oWaL7QoW5TsgbuiS9-5-DI8S3Ibbo1gdB2SteJh3a20")
        try signature.check("jYz1UZ7j1BCdSzH3pZhaYf0iuz0vusoOTdqJsUT6WXI", of: "/asd")
        try ImgproxySignature(keys: keys, byteCount: 8).check("oWaL7QoW5Ts", of: "/asd")
    }

    @Test func `proxy changes to a path are undone before the check, and a query is ignored`() throws {
        let grammar = try Self.grammar()
        let damaged = "/\(Self.fittedSignature)/rs%3Afit%3A300%3A300/plain/http:/src.test/photo.jpg?x=1"
        let whole = try grammar.rendering(of: "/\(Self.fittedSignature)\(Self.fitted)")
        #expect(try grammar.rendering(of: damaged) == whole)
    }

    @Test func `only the last missing slash is restored, and the repaired path is verified`() throws {
        let grammar = try Self.grammar()
        let signed = try grammar.signed("/plain/http://src.test/x:/y.jpg")
        #expect(signed.hasSuffix("/plain/http://src.test/x://y.jpg"))
        let sent = signed.replacing("x://y", with: "x:/y")
        #expect(try grammar.rendering(of: sent).source.pathAndQuery == "/x://y.jpg")
    }

    @Test(arguments: [
        "/plain/http:/src.test/http:/x/y", "/w:1/plain/http:/a/b:/c:/d@png", "/plain/local:/a:/b",
    ])
    func `a signed path verifies, however many slashes are missing`(path: String) throws {
        let grammar = try Self.grammar()
        let signed = try grammar.signed(path)
        _ = try grammar.rendering(of: signed)
        #expect(!signed.dropFirst().replacing("://", with: "").contains(":/"))
    }

    @Test func `a trusted signature passes beside keys, and no other word does`() throws {
        let grammar = try Self.grammar(trusted: ["dev"])
        _ = try grammar.rendering(of: "/dev\(Self.fitted)")
        #expect(refusal { _ = try grammar.rendering(of: "/unsafe\(Self.fitted)") } == .invalidSignature)
    }

    @Test(arguments: [
        "/unsafe\(fitted)", "/\(fittedSignature.dropLast())\(fitted)",
        "/\(fittedSignature.prefix(2))\(fitted)",
        "/A\(fitted)", "/\(fittedSignature)=\(fitted)", "/\(fittedSignature)A\(fitted)",
        "/\(fittedSignature.replacing("-", with: "+"))\(fitted)",
        "/%2D\(fittedSignature.dropFirst())\(fitted)",
        "/xa6Njl6YnUnysMLqLPV8AwWYF_RXW4tUmDo2ZqLkM3o\(fitted)",
        "/YjWrAWvE6MYzEkFtrpPo8Ni3cyfnqIWCqcr8tXJsxRM\(fitted)",
        "/\(fittedSignature)/w:10\(fitted)", "/\(fittedSignature)/rs:fit:300:301/\(examplePath)",
        "/\(fittedSignature)/RS:fit:300:300/\(examplePath)",
        "/\(fittedSignature)/rs:fit:300:300/plain/http://src.test/%70hoto.jpg",
        "/unsafe/\(fittedSignature)\(fitted)", "/\(fittedSignature)/\(fittedSignature)\(fitted)",
        "/w:9/\(fittedSignature)\(fitted)", "/\(fittedSignature)/foo:1/\(examplePath)",
    ])
    func `a path not signed by a key is refused, whatever else is wrong`(target: String) throws {
        let grammar = try Self.grammar()
        #expect(refusal { _ = try grammar.rendering(of: target) } == .invalidSignature)
    }

    @Test(arguments: ["/", "//rs:fit:1:1/\(examplePath)", "/sig", "/sig/", "", "sig/\(examplePath)"])
    func `a path without a signature, or with nothing after it, is malformed`(target: String) {
        #expect(refusal { _ = try ImgproxyGrammar().rendering(of: target) } == .malformedPath)
    }

    @Test func `without keys any word is accepted as a signature, but an option is not`() throws {
        let grammar = ImgproxyGrammar()
        for word in ["unsafe", "insecure", "_", "xyz"] {
            _ = try grammar.rendering(of: "/\(word)\(Self.fitted)")
        }
        #expect(refusal { _ = try grammar.rendering(of: "/rs:fit:9:9/\(examplePath)") } == .invalidSignature)
        #expect(try grammar.signed(Self.fitted) == "/unsafe\(Self.fitted)")
    }

    @Test(arguments: [("zz", "00"), ("0", "00"), ("00,11", "00"), ("", ""), ("00", "0x00"), ("٠٠", "00")])
    func `parsing keys that are not hexadecimal returns nil`(keys: String, salts: String) {
        #expect(SigningKey.keys(hex: keys, salts: salts) == nil)
    }

    @Test func `the description of a key does not reveal it`() throws {
        let key = SigningKey("MY_SECURE_KEY")
        var dumped = ""
        dump(ImgproxyGrammar(signature: ImgproxySignature(keys: [key])), to: &dumped)
        #expect("\(key)" == "SigningKey")
        #expect(!dumped.contains("\(Array("MY".utf8)[0])\n"))
    }
}
