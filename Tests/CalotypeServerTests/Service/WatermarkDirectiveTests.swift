import Calotype
import CalotypeServer
import CalotypeTesting
import Foundation
import PipelineSupport
import TestSupport
import Testing

/// The directives of two origins in the response to an image with a watermark.
@Suite(.blocking) struct WatermarkDirectiveTests {
    @Test(arguments: [
        ("private, max-age=3600", "max-age=60"), ("max-age=60", "private, max-age=3600"),
    ])
    func `a result is private if its original or its watermark is`(photo: String, mark: String) async throws {
        let response = try await Self.response(photo: photo, mark: mark)
        #expect(response["Cache-Control"]?.hasPrefix("private, max-age=60") == true)
    }

    @Test func `a result is not used stale if its original must not be`() async throws {
        let response = try await Self.response(photo: "max-age=3600, must-revalidate", mark: "max-age=60")
        #expect(response["Cache-Control"] == "public, max-age=60, must-revalidate")
    }

    private static func response(photo: String, mark: String) async throws -> ServiceResponse {
        let pictures = [
            try WatermarkBench.png(WatermarkBench.blue, 120, 90),
            try WatermarkBench.png(WatermarkBench.red, 20, 10),
        ]
        let bench = try ServiceBench { request, _ in
            let isPhoto = request.url.path() == "/photo.jpg"
            let told = ["Cache-Control": isPhoto ? photo : mark]
            return .network(request.url, pictures[isPhoto ? 0 : 1], told)
        }
        let service = bench.service {
            $0.caching.followsOrigin = true
            $0.caching.staleWhileRevalidate = .seconds(5)
        }
        let target = "/unsafe/wm:1/wmu:\(WatermarkBench.address)/\(examplePath)@png"
        let response = try await service.response(to: ServiceRequest(target: target))
        #expect(response.status == 200)
        return response
    }
}
