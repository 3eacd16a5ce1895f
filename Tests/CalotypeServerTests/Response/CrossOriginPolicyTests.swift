import CalotypeLoading
import CalotypeServer
import TestSupport
import Testing

@Suite(.gated) struct CrossOriginPolicyTests {
    private func allowed(_ texts: [String], _ origin: String?) throws -> String? {
        try CrossOriginPolicy(texts).fields(for: origin).first { $0.name == "Access-Control-Allow-Origin" }?
            .value
    }

    @Test(arguments: [nil, "https://a.test", "null"])
    func `one origin, or all, is sent whatever the request says`(origin: String?) throws {
        #expect(try allowed(["*"], origin) == "*")
        #expect(try allowed(["https://shop.test"], origin) == "https://shop.test")
        #expect(try !CrossOriginPolicy(["*"]).varies && !CrossOriginPolicy(["https://shop.test"]).varies)
    }

    @Test(
        arguments: [
            ("https://a.test", "https://a.test"), ("HTTPS://A.test", "https://a.test"),
            ("http://localhost:3000", "http://localhost:3000"), ("https://evil.test", nil), (nil, nil),
            ("null", nil), ("https://a.test.evil.test", nil), ("https://a.test:444", nil),
            ("http://a.test", nil),
            ("https://a.test/", nil), ("", nil),
        ] as [(String?, String?)]
    )
    func `of several origins the request's is sent, if it is one of them`(
        origin: String?,
        expected: String?
    ) throws {
        let texts = ["https://a.test:443/", "http://localhost:3000", "capacitor://localhost"]
        #expect(try allowed(texts, origin) == expected)
        #expect(try CrossOriginPolicy(texts).varies)
    }

    @Test(arguments: [
        [], ["*", "https://a.test"], ["a.test"], ["https://"], ["https://a.test/b"], ["https://*.a.test"],
        ["https://a.test?b"], ["https://u@a.test"], ["https://a b"], ["null"], ["https://ä.test"],
        ["https://a.test\r\nX: y"], ["://a"], ["https://a.test,https://b.test"],
    ])
    func `a text that is not an origin is refused`(texts: [String]) {
        #expect(refusal { _ = try CrossOriginPolicy(texts) } == .invalidOption)
    }

    @Test func `a preflight request learns the methods and fields`() throws {
        let fields = try CrossOriginPolicy(["*"]).fields(for: "https://a.test", methods: "GET, POST")
        let values = Dictionary(uniqueKeysWithValues: fields.map { ($0.name, $0.value) })
        #expect(values["Access-Control-Allow-Methods"] == "GET, POST")
        #expect(values["Access-Control-Allow-Headers"]?.contains("Authorization") == true)
        #expect(values["Access-Control-Max-Age"] == "86400")
        let several = try CrossOriginPolicy(["https://a.test", "https://b.test"])
        #expect(several.fields(for: nil, methods: "GET").isEmpty)
    }
}
