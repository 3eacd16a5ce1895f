import Calotype
import CalotypeTesting
import Foundation
import TestSupport
import Testing

@Suite(.gated) struct CacheControlTests {
    private let time = ManualTimeSource()

    private func cacheControl(
        _ fields: [HeaderField],
        _ caching: HTTPCaching = .respectsHTTP,
        asking headers: [HeaderField] = [],
        of address: String = "https://example.org/a.png",
        after delay: Duration = .zero
    ) async throws -> String {
        let url = try #require(URL(string: address))
        let image = TestImages.photograph(PixelSize(width: 8, height: 8))
        let data = try PNGEncoder().encode(image)
        let loader = StubDataLoader([url: .data(data, headers: fields)])
        var configuration = ImagePipeline.Configuration(cache: ImageCache(), loader: loader)
        configuration.timeSource = time
        let pipeline = ImagePipeline(configuration)
        let request = ImageRequest(url: url, headers: headers, httpCaching: caching)
        let first = try await pipeline.data(for: request)
        guard delay > .zero else { return first.cacheControl }
        time.advance(by: delay)
        let second = try await pipeline.data(for: request)
        #expect(loader.requests.count == 1, "the second is served from memory")
        return second.cacheControl
    }

    @Test func `Cache-Control contains the remaining freshness of the origin`() async throws {
        let fresh = [HeaderField("Cache-Control", "max-age=600, must-revalidate"), HeaderField("Age", "60")]
        #expect(try await cacheControl(fresh) == "public, max-age=540, must-revalidate")
        #expect(try await cacheControl(fresh, after: .seconds(40)) == "public, max-age=500, must-revalidate")
    }

    @Test func `private, no-cache and no-store are forwarded`() async throws {
        #expect(
            try await cacheControl([.init("Cache-Control", "private, max-age=60")]) == "private, max-age=60"
        )
        #expect(try await cacheControl([.init("Cache-Control", "no-cache, max-age=60")]) == "no-cache")
        #expect(try await cacheControl([.init("Cache-Control", "no-store")]) == "no-store")
    }

    @Test func `the response to a request with credentials is private`() async throws {
        let credentials = [HeaderField("Authorization", "Bearer x")]
        let value = try await cacheControl([.init("Cache-Control", "max-age=60")], asking: credentials)
        #expect(value == "private, max-age=60")
    }

    // The loader sends them as `Authorization`.
    @Test func `the response to a URL with a user and a password is private`() async throws {
        let value = try await cacheControl(
            [.init("Cache-Control", "max-age=60")],
            of: "https://user:secret@example.org/a.png"
        )
        #expect(value == "private, max-age=60")
    }

    @Test func `Cache-Control is no-cache if HTTP caching is ignored`() async throws {
        #expect(try await cacheControl([.init("Cache-Control", "max-age=60")], .ignoresHTTP) == "no-cache")
    }
}
