import Calotype
import CalotypeServer
import FoundationEssentials
import TestSupport
import Testing

@Suite(.gated) struct ResponseFieldTests {
    private static func rendering(_ tail: String) throws -> Rendering {
        try ImgproxyGrammar().rendering(of: "/unsafe/\(tail)")
    }

    @Test func `the max-age is limited by the setting, the URL and its expiry`() {
        var fields = CachingHeaders()
        var delivery = Delivery()
        let now = Timestamp(nanosecondsSince1970: 0)
        #expect(fields.cacheControl(for: delivery, at: now) == "public, max-age=31536000")
        (fields.staleWhileRevalidate, fields.staleIfError) = (.seconds(5), .seconds(6))
        let stale = "public, max-age=31536000, stale-while-revalidate=5, stale-if-error=6"
        #expect(fields.cacheControl(for: delivery, at: now) == stale)
        delivery.maxAge = .seconds(0)
        #expect(fields.cacheControl(for: delivery, at: now) == "no-cache")
        delivery.maxAge = nil
        delivery.expires = now + .seconds(10)
        #expect(fields.cacheControl(for: delivery, at: now) == "public, max-age=10")
        #expect(fields.cacheControl(for: delivery, at: now + .seconds(11)) == "no-cache")
        delivery.expires = Timestamp(nanosecondsSince1970: .max)
        #expect(fields.cacheControl(for: delivery, at: now) == "public, max-age=31536000")
        #expect(!CachingHeaders.errorCacheControl.contains("max-age"))
    }

    @Test(arguments: [
        (examplePath, "inline; filename=\"photo.webp\""),
        ("fn:cat/\(examplePath)", "inline; filename=\"cat.webp\""),
        ("att:1/\(examplePath)", "attachment; filename=\"photo.webp\""),
        ("plain/http://src.test/", "inline; filename=\"image.webp\""),
        ("plain/http://src.test/.hidden", "inline; filename=\"hidden.webp\""),
        ("plain/http://src.test/a.b.c%3Fq=%22x", "inline; filename=\"a.b.webp\""),
        ("fn:YQ0KYiI7IGM9Ig:1/\(examplePath)", "inline; filename=\"ab c=.webp\""),
        ("fn:Li4vLi4vZXRj:1/\(examplePath)", "inline; filename=\"etc.webp\""),
        (
            "fn:w7bigK5i:1/\(examplePath)",
            "inline; filename=\"_b.webp\"; filename*=UTF-8''%C3%B6b.webp"
        ),
    ])
    func `no name breaks the header field, names another folder, or reverses the text`(
        tail: String,
        field: String
    ) throws {
        #expect(ContentDisposition(try Self.rendering(tail)).value(for: .webP) == field)
    }

    @Test func `a name of a thousand characters is cut`() throws {
        let long = String(repeating: "ö", count: 1_000)
        let encoded = Data(long.utf8).base64EncodedString().replacing("+", with: "-").replacing(
            "/",
            with: "_"
        )
        let rendering = try Self.rendering("fn:\(encoded):1/\(examplePath)")
        #expect(ContentDisposition(rendering).value(for: .png).utf8.count < 1_000)
    }
}

@Suite(.gated) struct ProblemDocumentTests {
    private struct Content: Decodable {
        let type: String
        let status: Int
        let title: String
        let code: String
        let option: String?
    }

    @Test(arguments: [
        (RequestError.Code.invalidSignature, 403), (.unknownOption, 404), (.invalidOption, 404),
        (.forbiddenOption, 403),
        (.unsupportedOption, 422), (.malformedPath, 404), (.pathTooLong, 414), (.invalidSource, 404),
        (.sourceNotAllowed, 403), (.expired, 404), (.unsupportedFormat, 422),
    ])
    func `each code has its status, in JSON and in plain text`(
        code: RequestError.Code,
        status: Int
    ) throws {
        let error = RequestError(code, option: "wm", detail: "http://10.0.0.1/secret \"quoted\"\r\nX: y")
        let problem = ProblemDocument(error)
        let content = try JSONDecoder().decode(Content.self, from: problem.json)
        #expect(content.status == status && content.code == code.label && content.option == "wm")
        let line = String(decoding: problem.text, as: UTF8.self)
        #expect(line.hasSuffix("(\(code.label))\n") && line.filter(\.isNewline).count == 1)
        for text in [line, String(decoding: problem.json, as: UTF8.self)] {
            #expect(!text.contains("10.0.0.1") && !text.contains("secret"))
        }
    }

    @Test(arguments: [
        (FetchError(.addressRefused, detail: "10.0.0.1"), 403),
        (FetchError(.timedOut, detail: "10.0.0.1"), 504),
        (FetchError(.overloaded, detail: "10.0.0.1"), 503),
        (FetchError(.hostNotFound, detail: "10.0.0.1"), 502),
        (FetchError(.unacceptableStatus, status: 404, detail: "10.0.0.1"), 404),
        (FetchError(.unacceptableStatus, status: 410, detail: "10.0.0.1"), 410),
        (FetchError(.unacceptableStatus, status: 401, detail: "10.0.0.1"), 502),
        (FetchError(.unacceptableStatus, status: 500, detail: "10.0.0.1"), 502),
        (FetchError(.bodyTooLarge, detail: "10.0.0.1"), 422),
        (FetchError(.fileNotFound, detail: "10.0.0.1"), 404),
        (FetchError(.connectionLost, detail: "10.0.0.1"), 502),
        (FetchError(.redirectRefused, detail: "10.0.0.1"), 502),
    ])
    func `a failure has the status of its responsible party, and reveals no address`(
        error: FetchError,
        status: Int
    ) {
        let problem = ProblemDocument(LoadError(stage: .load, underlying: error))
        #expect(problem.status == status)
        #expect(!String(decoding: problem.json + problem.text, as: UTF8.self).contains("10.0.0.1"))
    }

    @Test func `damaged images, unsupported encodings and missing transforms are client errors`() {
        let damaged = LoadError(stage: .decode, underlying: DecodeError(.corrupt, detail: ""))
        #expect(ProblemDocument(damaged).status == 422)
        let encoding = EncodeError(.unsupportedFeature, format: .webP, detail: "")
        #expect(ProblemDocument(LoadError(stage: .encode, underlying: encoding)).status == 422)
        let lacking = TransformError(.unsupportedFeature, detail: "")
        #expect(ProblemDocument(LoadError(stage: .transform, underlying: lacking)).status == 422)
        let memory = TransformError(.outOfMemory, detail: "")
        #expect(ProblemDocument(LoadError(stage: .transform, underlying: memory)).status == 500)
    }

    @Test(arguments: [
        ("application/json", true), ("application/problem+json", true), ("*/*", false),
        ("image/webp,*/*;q=0.8", false),
        ("application/json;q=0", false), ("", false),
    ])
    func `only a client that names JSON gets it`(field: String, isJSON: Bool) {
        #expect(ProblemDocument.isAccepted(by: AcceptHeader(field)) == isJSON)
    }
}
