import Calotype
import CalotypeTesting
import Foundation
import TestSupport
import Testing

@Suite(.gated) struct ThumbnailServerArticleTests {
    // The functions between the marks are those of the article.
    // mark: begin
    func status(for error: LoadError) -> Int {
        switch (error.code, error.fault) {
        case (.addressRefused, _): 403
        case (.timedOut, _): 504
        case (.overloaded, _): 503
        case (_, .caller): 400
        case (_, .origin): error.httpStatus == 404 ? 404 : 502
        case (_, .input), (_, .limit): 422
        default: 500
        }
    }

    func reply(
        _ address: String,
        width: Int,
        from pipeline: ImagePipeline
    ) async throws -> (status: Int, image: EncodedImage?) {
        do {
            var request = try ImageRequest(address)
            request.decoding.target = .fit(width: min(max(width, 1), 2_000))
            request.encoding = .webP(quality: 80)
            return (200, try await pipeline.data(for: request))
        } catch let error as LoadError {
            return (status(for: error), nil)
        }
    }
    // mark: end

    private static let address = "https://example.org/a.png"

    private func pipeline() throws -> ImagePipeline {
        let picture = TestImages.photograph(PixelSize(width: 60, height: 40))
        let files = [
            Self.address: StubDataLoader.Response.data(try PNGEncoder().encode(picture)),
            "https://example.org/text": .data(Data("no image".utf8)),
            "https://example.org/absent": .data(Data(), status: 404),
            "https://example.org/broken": .data(Data(), status: 500),
        ]
        let answers = try files.map { (try #require(URL(string: $0.key)), $0.value) }
        let loader = StubDataLoader(Dictionary(uniqueKeysWithValues: answers))
        let router = RoutingLoader(["http": loader, "https": loader])
        return ImagePipeline(.init(cache: ImageCache(), loader: router))
    }

    @Test(arguments: [
        ("notaurl", 400), ("", 400), ("/etc/passwd", 400), ("file:///etc/passwd", 400), ("data:,x", 400),
        ("https://", 400), ("https://example.org/text", 422), ("https://example.org/absent", 404),
        ("https://example.org/broken", 502),
    ])
    func `invalid input returns a specific status and never 500`(address: String, status: Int) async throws {
        let reply = try await reply(address, width: 20, from: pipeline())
        #expect(reply.status == status && reply.image == nil)
    }

    @Test(arguments: [(20, 20), (0, 1), (-5, 1), (Int.max, 60)])
    func `a valid address returns a thumbnail whose width is clamped`(width: Int, expected: Int) async throws
    {
        let reply = try await reply(Self.address, width: width, from: pipeline())
        #expect(reply.status == 200 && reply.image?.info.size.width == expected)
    }

    @Test func `the article contains the functions tested here`() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        func lines(_ path: String) throws -> [String] {
            let text = try String(contentsOf: root.appending(path: path), encoding: .utf8)
            return text.split(separator: "\n").map { String($0.drop { $0 == " " }) }
        }
        let article = try lines("Sources/Calotype/Calotype.docc/ThumbnailServer.md")
        let own = try lines("Tests/CalotypeTests/ThumbnailServerArticleTests.swift")
        let start = try #require(own.firstIndex(of: "// mark: begin"))
        let end = try #require(own.firstIndex(of: "// mark: end"))
        let shown = Set(article)
        #expect(own[start + 1..<end].filter { !shown.contains($0) } == [])
    }
}
