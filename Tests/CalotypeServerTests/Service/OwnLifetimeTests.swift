import Calotype
import CalotypeServer
import CalotypeTesting
import Foundation
import PipelineSupport
import TestSupport
import Testing

/// Lifetimes of the service, or of a URL, that are shorter than those of origins.
@Suite(.blocking) struct OwnLifetimeTests {
    @Test(arguments: [true, false])
    func `a response that its origin calls fresh is fresh for clients`(isOfURL: Bool) async throws {
        let data = try JPEGEncoder().encode(TestImages.photograph(PixelSize(width: 120, height: 90)))
        let bench = try ServiceBench { request, _ in
            .network(request.url, data, ["Cache-Control": "max-age=86400"])
        }
        let end = bench.time.now() + .seconds(3_600)
        let service = bench.service {
            $0.caching.followsOrigin = true
            if !isOfURL { $0.caching.maxAge = .seconds(60) }
        }
        let option = isOfURL ? "exp:\(end.nanosecondsSince1970 / 1_000_000_000)/" : ""
        let request = ServiceRequest(target: "/unsafe/\(option)w:30/\(examplePath)")
        #expect(try await service.response(to: request).status == 200)
        bench.time.advance(by: .seconds(2_400))
        let response = try await service.response(to: request)
        #expect(response["X-Cache"] == "memory")
        let lifetime = try #require(response["Cache-Control"]?.split(separator: "=").last.flatMap { Int($0) })
        let age = response["Age"].flatMap { Int($0) } ?? 0
        #expect(lifetime > age, "max-age=\(lifetime) at an age of \(age): each request comes back")
    }
}
