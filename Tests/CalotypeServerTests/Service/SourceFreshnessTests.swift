import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype
@testable import CalotypeServer

/// The frequency of origin requests for any stated freshness.
@Suite(.blocking) struct SourceFreshnessTests {
    private static let target = ServiceRequest(target: "/unsafe/rs:fit:60:60/\(examplePath)")

    private let isDown = SharedState(false)

    private func bench(_ headers: [String: String]) throws -> ServiceBench {
        let picture = TestImages.photograph(PixelSize(width: 120, height: 90))
        let data = try JPEGEncoder(quality: 90).encode(picture)
        var bench = try ServiceBench { [isDown] request, _ in
            if isDown.value { throw FetchError(.connectionFailed, detail: "down") }
            guard !request.headers.contains(where: { $0.name.lowercased() == "if-none-match" }) else {
                return .network(request.url, status: 304, headers)
            }
            return .network(request.url, data, headers)
        }
        bench.staleAllowance = StaleAllowance(
            whileRevalidating: .days(1),
            ifError: .days(1),
            minLifetime: .hours(1),
            maxLifetime: .days(30)
        )
        return bench
    }

    private static let silent: [[String: String]] = [
        [:], ["ETag": "\"1\""], ["Cache-Control": "public, immutable"],
        ["Cache-Control": "max-age=0, s-maxage=600"],
        ["Cache-Control": "public, max-age=0", "ETag": "\"1\""],
        ["Expires": "0"],
    ]

    @Test(arguments: silent)
    func `an origin without a lifetime is revalidated once an hour in the background`(
        headers: [String: String]
    )
        async throws
    {
        let bench = try bench(headers)
        let service = bench.service()
        #expect(try await service.response(to: Self.target)["X-Cache"] == "miss")
        for _ in 0..<5 { #expect(try await service.response(to: Self.target)["X-Cache"] == "memory") }
        #expect(bench.loader.requests.count == 1)
        bench.time.advance(by: .seconds(3_601))
        #expect(try await service.response(to: Self.target)["X-Cache"] == "stale")
        await service.pipeline.untilIdle()
        #expect(bench.loader.requests.count == 2)
        for _ in 0..<5 { #expect(try await service.response(to: Self.target)["X-Cache"] == "memory") }
        #expect(bench.loader.requests.count == 2)
    }

    @Test func `no-cache forces revalidation, which is reported as such`() async throws {
        let bench = try bench(["Cache-Control": "no-cache", "ETag": "\"1\""])
        let service = bench.service()
        #expect(try await service.response(to: Self.target)["X-Cache"] == "miss")
        for count in 2...4 {
            let answer = try await service.response(to: Self.target)
            #expect(answer.status == 200 && answer["X-Cache"] == "revalidated")
            #expect(bench.loader.requests.count == count)
        }
    }

    @Test func `an image is served for a day after its origin failed`() async throws {
        let bench = try bench(["Cache-Control": "max-age=60"])
        let service = bench.service()
        _ = try await service.response(to: Self.target)
        isDown.withLock { $0 = true }
        bench.time.advance(by: .seconds(20 * 3_600))
        let answer = try await service.response(to: Self.target)
        #expect(answer.status == 200 && answer["X-Cache"] == "stale")
        await service.pipeline.untilIdle()
        bench.time.advance(by: .seconds(10 * 86_400))
        #expect(try await service.response(to: Self.target).status == 502)
    }

    @Test func `an origin with a lifetime of years is revalidated after the maximum lifetime`() async throws {
        let bench = try bench(["Cache-Control": "max-age=3153600000"])
        let service = bench.service()
        _ = try await service.response(to: Self.target)
        bench.time.advance(by: .seconds(29 * 86_400))
        _ = try await service.response(to: Self.target)
        #expect(bench.loader.requests.count == 1)
        bench.time.advance(by: .seconds(86_401))
        #expect(try await service.response(to: Self.target)["X-Cache"] == "stale")
        await service.pipeline.untilIdle()
        #expect(bench.loader.requests.count == 2)
    }
}
