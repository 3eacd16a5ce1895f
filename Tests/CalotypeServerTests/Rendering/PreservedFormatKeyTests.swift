import Calotype
import CalotypeServer
import CalotypeTesting
import Foundation
import PipelineSupport
import TestSupport
import Testing

/// Keys of results in the format of their originals.
@Suite(.blocking) struct PreservedFormatKeyTests {
    @Test(arguments: [ImageFormat.webP, .png])
    func `a format that is not preserved any more is converted after a new start`(format: ImageFormat)
        async throws
    {
        let photograph = TestImages.photograph(PixelSize(width: 120, height: 90))
        let encoder = try #require(CodecRegistry.publicWeb.encoder(for: format))
        let data = try encoder.encode(photograph)
        let bench = try ServiceBench { request, _ in
            .network(request.url, data, ["Cache-Control": "max-age=600"])
        }
        func type(without removed: Set<ImageFormat>) async throws -> String? {
            let service = bench.service { $0.encodings.preservedFormats.subtract(removed) }
            let answer = try await service.response(to: ServiceRequest(target: "/unsafe/w:60/\(examplePath)"))
            await service.pipeline.untilIdle()
            return answer["Content-Type"]
        }
        #expect(try await type(without: []) == format.mediaType)
        #expect(try await type(without: [format]) == "image/jpeg")
    }
}
