import Calotype
import CalotypeLoading
import CalotypeServer
import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

@Suite(.blocking) struct FallbackTests {
    private static func bench(failing status: Int) throws -> ServiceBench {
        try ServiceBench { request, _ in
            if request.url.scheme == "data" { return try await DataURLLoader().response(for: request) }
            throw FetchError(.unacceptableStatus, status: status, detail: "")
        }
    }

    private static func fallback() throws -> FallbackImage {
        FallbackImage(
            data: try JPEGEncoder().encode(TestImages.photograph(PixelSize(width: 60, height: 30)))
        )
    }

    private func ask(_ service: ImageService) async throws -> ServiceResponse {
        try await service.response(to: ServiceRequest(target: "/unsafe/w:30/\(examplePath)"))
    }

    @Test(arguments: [(404, "404"), (410, "410"), (500, "502")])
    func `a fallback says which error it replaces`(origin: Int, status: String) async throws {
        let fallback = try Self.fallback()
        let service = try Self.bench(failing: origin).service { $0.fallback = fallback }
        let answer = try await ask(service)
        #expect(answer.status == 200 && answer["Cache-Control"] == "no-store")
        let mark = try #require(answer["X-Fallback"])
        #expect(mark.hasSuffix(";status=\(status)") && !mark.hasPrefix(";"), "\(mark)")
        #expect(try await ask(ServiceBench().service { $0.fallback = fallback })["X-Fallback"] == nil)
    }

    @Test(
        arguments: [
            ([404], 404, true), ([404], 500, false), ([502], 500, true), ([404, 410], 410, true),
            ([], 404, false),
        ] as [(Set<Int>, Int, Bool)]
    )
    func `a fallback replaces only the errors of chosen statuses`(
        statuses: Set<Int>,
        origin: Int,
        isReplaced: Bool
    ) async throws {
        var fallback = try Self.fallback()
        fallback.statuses = statuses
        let service = try Self.bench(failing: origin).service { [fallback] in $0.fallback = fallback }
        let answer = try await ask(service)
        #expect((answer.status == 200) == isReplaced)
        #expect((answer["X-Fallback"] != nil) == isReplaced)
    }

    @Test func `a fallback may have a lifetime of its own`() async throws {
        var fallback = try Self.fallback()
        fallback.maxAge = .seconds(60)
        let service = try Self.bench(failing: 404).service { [fallback] in $0.fallback = fallback }
        #expect(try await ask(service)["Cache-Control"] == "public, max-age=60")
    }

    @Test(arguments: [false, true])
    func `a fallback that caches may store varies like the image that it replaces`(
        hasHints: Bool
    ) async throws {
        var fallback = try Self.fallback()
        fallback.maxAge = .seconds(60)
        let service = try Self.bench(failing: 404).service { [fallback] in
            $0.fallback = fallback
            $0.usesClientHints = hasHints
        }
        let hints = "Sec-CH-DPR, DPR, Sec-CH-Width, Width"
        for (accept, type) in [("image/webp", "image/webp"), ("image/jpeg", "image/jpeg")] {
            let target = "/unsafe/w:30/\(examplePath)"
            let answer = try await service.response(to: ServiceRequest(target: target, accept: accept))
            #expect(answer["Content-Type"] == type && answer["Cache-Control"] == "public, max-age=60")
            #expect(answer["Vary"] == (hasHints ? "Accept, \(hints)" : "Accept"))
            #expect(answer["Accept-CH"] == (hasHints ? hints : nil))
        }
    }

    @Test func `an error names the setting behind it, if the service knows one`() async throws {
        let data = try JPEGEncoder().encode(TestImages.photograph(PixelSize(width: 120, height: 90)))
        let bench = try ServiceBench { request, _ in .network(request.url, data) }
        let service = bench.service {
            $0.limits.maxPixelCount = 100
            $0.settingBehind = { record in
                guard record.errorCode == "limitExceeded", record.status == 422 else { return nil }
                return ProblemSetting(name: "source-pixels", value: "100")
            }
        }
        var request = ServiceRequest(target: "/unsafe/w:30/\(examplePath)")
        let text = try await service.response(to: request)
        #expect(text.status == 422)
        let line = "Image exceeds a limit: source-pixels is 100 (limitExceeded)\n"
        #expect(String(decoding: text.body, as: UTF8.self) == line)
        request.accept = "application/json"
        let json = String(decoding: try await service.response(to: request).body, as: UTF8.self)
        #expect(json.contains("\"setting\":\"source-pixels\",\"limit\":\"100\"}"), "\(json)")
    }
}
