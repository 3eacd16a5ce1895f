import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype

@Suite(.gated) struct RequestTextTests {
    private func bench() -> PipelineBench {
        PipelineBench { request, _ in .network(request.url, FakeImageDecoder.data(width: 4, height: 3)) }
    }

    @Test(arguments: [
        ("https://example.org/a.png", "https://example.org/a.png"),
        ("HTTP://Example.ORG:80/a/../b", "http://example.org/b"),
        (" https://example.org/Photo%20[2]|100%.jpg\n", "https://example.org/Photo%20%5B2%5D%7C100%25.jpg"),
        ("https:///a.png", "https://a.png/"), ("data:image/png;base64,AAAA", "data:image/png;base64,AAAA"),
    ])
    func `a web or data URL creates a request`(text: String, url: String) throws {
        #expect(try ImageRequest(text).url.absoluteString == url)
        #expect(try ImageRequest(text[...]).url.absoluteString == url)
        #expect(ImageRequest(stringLiteral: text).url.absoluteString == url)
        #expect(ImageRequest(addressOrPath: text)?.url.absoluteString == url)
    }

    @Test(arguments: [
        "", "cat.png", "/etc/passwd", "../a.png", "file:///etc/passwd", "FILE:///etc/passwd", "https:",
        "http://", "ftp://example.org/a", "//example.org/a.png", "javascript:alert(1)",
        "https://exa mple.org/a",
    ])
    func `text that is neither a web nor a data URL is rejected`(text: String) {
        #expect(throws: LoadError.self) { try ImageRequest(text) }
    }

    @Test func `the error of invalid text shows an example URL`() {
        let error = #expect(throws: LoadError.self) { try ImageRequest("cat.png".lowercased()) }
        #expect(error?.code == .invalidURL)
        #expect(error?.description.contains("https://example.org/cat.jpeg") == true)
    }

    @Test func `the error of invalid text contains neither user information nor a query`() {
        let text = "http://me:secret@h h/?key=secret"
        let error = #expect(throws: LoadError.self) { try ImageRequest(text) }
        #expect(error.map { "\($0)" }?.contains("secret") == false)
        let request: ImageRequest = "http://me:secret@h h/?key=secret"
        #expect(!request.description.contains("secret"))
    }

    @Test func `an interpolated literal creates a request`() {
        let number = 7
        let request: ImageRequest = "https://example.org/\(number).png"
        #expect(request == ImageRequest("https://example.org/7.png"))
    }

    @Test(arguments: ["/etc/passwd", "file:///etc/passwd", "no url"])
    func `an interpolated value cannot turn a literal into a file`(text: String) async throws {
        let bench = bench()
        let request: ImageRequest = "\(text)"
        let error = await #expect(throws: LoadError.self) { try await bench.pipeline.image(for: request) }
        #expect(error?.code == .invalidURL)
        #expect(bench.loader.requests.isEmpty)
        #expect(bench.pipeline.residentImage(for: request) == nil)
    }

    @Test func `an invalid literal fails only when it is loaded`() async throws {
        let bench = bench()
        var request: ImageRequest = "cat.png"
        let error = await #expect(throws: LoadError.self) { try await bench.pipeline.data(for: request) }
        #expect(error?.code == .invalidURL)
        request.url = PipelineBench.url
        _ = try await bench.pipeline.data(for: request)
    }

    @Test func `a file path creates a file URL`() {
        #expect(ImageRequest(filePath: "/tmp/a b.png").url.absoluteString == "file:///tmp/a%20b.png")
    }

    @Test func `a URL without a scheme is rejected`() async throws {
        let request = ImageRequest(url: try #require(URL(string: "/etc/hostname")))
        let pipeline = ImagePipeline(.init(cache: ImageCache(), loader: RoutingLoader.standard()))
        let error = await #expect(throws: LoadError.self) { try await pipeline.image(for: request) }
        #expect((error?.underlying as? FetchError)?.code == .unsupportedScheme)
        await #expect(throws: LoadError.self) { try await pipeline.data(for: request) }
    }

    @Test func `descriptions of a request contain no secret`() {
        var request: ImageRequest = "https://me:geheim@example.org/a.png?signature=geheim#geheim"
        request.headers = [HeaderField("Authorization", "Bearer geheim"), HeaderField("X-Own", "geheim")]
        request.decoding.target = .fit(width: 32)
        for text in ["\(request)", String(reflecting: request), "\([request])", "\(request.headers)"] {
            #expect(!text.contains("geheim"), "\(text)")
        }
        #expect("\(request)" == "https://example.org/a.png (fit=32x,scaling=3)")
    }
}
