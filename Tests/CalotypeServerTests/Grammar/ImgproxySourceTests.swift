import CalotypeServer
import TestSupport
import Testing

@Suite(.gated) struct ImgproxySourceTests {
    private static func source(_ tail: String) throws -> String {
        try ImgproxyGrammar().rendering(of: "/unsafe/\(tail)").source.description
    }

    @Test(arguments: [
        (examplePath, "http://src.test/photo.jpg"),
        ("plain/http://src.test/ph%25C3%25B6to%20a+b.jpg", "http://src.test/ph%C3%B6to%20a+b.jpg"),
        ("plain/http%3A%2F%2Fsrc.test%2Fphoto.jpg%3Fa%3D1%26b%3D2", "http://src.test/photo.jpg?a=1&b=2"),
        ("plain/http://src.test/a%40b.jpg@png", "http://src.test/a@b.jpg"),
        ("plain/http://src.test/%C3%B6.jpg", "http://src.test/%C3%B6.jpg"),
        ("plain/http:/src.test/photo.jpg", "http://src.test/photo.jpg"),
        ("plain/local:/a/b.jpg", "local:///a/b.jpg"),
        ("plain/local:///a%23b%3Fc.jpg", "local:///a%23b%3Fc.jpg"),
        ("plain/http://src.test/photo.jpg%23part", "http://src.test/photo.jpg"),
        ("aHR0cDovL3NyYy50ZXN0L3Bob3RvLmpwZw", "http://src.test/photo.jpg"),
        ("aHR0cDovL3NyYy50ZXN0L3Bob3RvLmpwZw==", "http://src.test/photo.jpg"),
        ("aHR0cDovL3NyYy50ZXN0L3Bob3RvLmpwZw.png", "http://src.test/photo.jpg"),
        ("w:9/aHR0cDov/L3NyYy50/ZXN0L3Bo/b3RvLmpw/Zw", "http://src.test/photo.jpg"),
        ("//aHR0cDov//L3NyYy50ZXN0L3Bob3RvLmpwZw", "http://src.test/photo.jpg"),
        ("plain/HTTP://SRC.test:80/A", "http://src.test/A"),
    ])
    func `a source is parsed as by imgproxy`(tail: String, source: String) throws {
        #expect(try Self.source(tail) == source)
    }

    @Test(arguments: [
        "plain/", "plain/@png", "plain/%zz", "plain/%", "plain/%FF%FE", "aHR0cDovL3NyYy50ZXN0L3Bob3RvLmpwZw+",
        "aHR0cDovL3NyYy50ZXN0L3Bob3RvLmpwZ", "a.b.c", "%61HR0", "aHR0 ", "w:1/plain/a@b@c", ".png", "_w",
        "abc=d",
        "plain/src.test/photo.jpg", "plain/gopher://src.test/",
    ])
    func `an invalid source is refused`(tail: String) {
        let code = refusal { _ = try Self.source(tail) }
        #expect(code == .invalidSource || code == .malformedPath)
    }

    @Test func `an appended file name is ignored if so configured`() throws {
        var grammar = ImgproxyGrammar()
        grammar.base64HasFileName = true
        let target = "/unsafe/w:9/aHR0cDovL3NyYy50ZXN0L3Bob3RvLmpwZw/cat.jpeg"
        #expect(try grammar.rendering(of: target).source.description == "http://src.test/photo.jpg")
    }

    @Test func `a base URL is prepended to sources without it`() throws {
        var grammar = ImgproxyGrammar()
        grammar.baseURL = "http://src.test/"
        for tail in ["plain/a.jpg", "plain/http://src.test/a.jpg"] {
            let source = try grammar.rendering(of: "/unsafe/\(tail)").source
            #expect(source.description == "http://src.test/a.jpg")
        }
    }

    @Test func `arguments may have another separator`() throws {
        var grammar = ImgproxyGrammar()
        grammar.separator = ","
        let rendering = try grammar.rendering(of: "/unsafe/q,7/\(examplePath)")
        #expect(rendering.quality.quality == 7)
    }

    @Test func `64 KB of URL are refused without being parsed`() {
        let long = "plain/http://src.test/" + String(repeating: "a", count: 65_536)
        #expect(refusal { _ = try Self.source(long) } == .pathTooLong)
    }
}
