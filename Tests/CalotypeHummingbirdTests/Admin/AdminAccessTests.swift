import HTTPTypes
import TestSupport
import Testing

@testable import CalotypeHummingbird

private func request(
    _ method: HTTPRequest.Method = .get,
    _ fields: [String: String] = [:],
    host: String? = "127.0.0.1:8081"
) -> HTTPRequest {
    var request = HTTPRequest(method: method, scheme: "http", authority: host, path: "/")
    for (name, value) in fields {
        if let name = HTTPField.Name(name) { request.headerFields[name] = value }
    }
    return request
}

/// Access to the admin listener: never from a web page, whatever the operator's browser has open.
@Suite(.gated) struct AdminAccessTests {
    private let open = AdminAccess(token: nil)
    private let guarded = AdminAccess(token: "s3cret")
    private let json = ["Content-Type": "application/json"]

    @Test(arguments: [
        "127.0.0.1", "127.0.0.1:8081", "127.1.2.3:1", "localhost:8081", "LOCALHOST", "[::1]:8081", "[::1]",
    ])
    func `without a token the names of the local machine are allowed`(host: String) {
        #expect(open.refusal(of: request(host: host), isOpen: false) == nil)
    }

    @Test(arguments: [
        nil, "", "evil.example", "evil.example:8081", "127.0.0.1.evil.example", "localhost.evil.example",
        "127.0.0.1@evil.example", "10.0.0.1:8081", "127.0.0", "127.0.0.256", "1270.0.1", "[::2]", "[::1]evil",
        "127.0.0.1:80evil", "127.1", "0x7f.0.0.1", "0.0.0.0",
    ])
    func `without a token other host names are refused, against DNS rebinding`(host: String?) {
        #expect(open.refusal(of: request(host: host), isOpen: false) == .host)
        #expect(open.refusal(of: request(host: host), isOpen: true) == .host)
    }

    @Test(arguments: [
        "https://evil.example", "null", "http://127.0.0.1:9999", "http://localhost:8081", "file://",
    ])
    func `a request from a page of another origin is refused`(origin: String) {
        #expect(
            open.refusal(of: request(.post, ["Origin": origin].merging(json) { $1 }), isOpen: false)
                == .origin
        )
        #expect(open.refusal(of: request(.get, ["Origin": origin]), isOpen: true) == .origin)
        let named = ["Origin": origin, "Authorization": "Bearer s3cret"]
        #expect(guarded.refusal(of: request(.get, named), isOpen: false) == .origin)
    }

    @Test func `the console's own page may read and change`() {
        let fields = ["Origin": "http://127.0.0.1:8081", "Sec-Fetch-Site": "same-origin"].merging(json) { $1 }
        #expect(open.refusal(of: request(.post, fields), isOpen: false) == nil)
    }

    @Test(arguments: ["cross-site", "same-site"])
    func `a navigation from another site may only open the console`(site: String) {
        #expect(open.refusal(of: request(.get, ["Sec-Fetch-Site": site]), isOpen: true) == nil)
        #expect(open.refusal(of: request(.get, ["Sec-Fetch-Site": site]), isOpen: false) == .origin)
    }

    @Test(arguments: [
        "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "",
    ])
    func `a content type that a form can send is refused for changes`(type: String) {
        #expect(open.refusal(of: request(.post, ["Content-Type": type]), isOpen: false) == .mediaType)
        #expect(open.refusal(of: request(.post), isOpen: false) == .mediaType)
        let json = ["Content-Type": "Application/JSON; charset=utf-8"]
        #expect(open.refusal(of: request(.post, json), isOpen: false) == nil)
    }

    @Test(arguments: [
        "", "s3cret", "Bearer", "Bearer s3cre", "Bearer s3cret2", "Bearer s3cret x", "Basic s3cret",
    ])
    func `if a token is set, it is required`(value: String) {
        #expect(guarded.refusal(of: request(.get, ["Authorization": value]), isOpen: false) == .token)
    }

    @Test func `a request with the token may use any host name`() {
        for word in ["Bearer", "bearer"] {
            let fields = ["Authorization": "\(word) s3cret"]
            #expect(guarded.refusal(of: request(.get, fields, host: "a.example"), isOpen: false) == nil)
        }
        #expect(guarded.refusal(of: request(.get, host: "a.example"), isOpen: true) == nil)
    }

    @Test func `an empty token counts as no token`() {
        #expect(AdminAccess(token: "").refusal(of: request(), isOpen: false) == nil)
    }
}
