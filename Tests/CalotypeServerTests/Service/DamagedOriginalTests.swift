import Calotype
import CalotypeServer
import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

/// Damaged originals, rejected by default and shown in part on request.
@Suite(.blocking) struct DamagedOriginalTests {
    private static let photograph = TestImages.photograph(PixelSize(width: 120, height: 90))

    private static func status(_ data: Data, shows: Bool, _ target: String) async throws -> ServiceResponse {
        let bench = try ServiceBench { request, _ in
            .network(request.url, data, ["Cache-Control": "max-age=600"])
        }
        let service = bench.service { $0.showsDamagedOriginals = shows }
        return try await service.response(to: ServiceRequest(target: target))
    }

    private static let targets = [
        "/unsafe/w:60/\(examplePath)", "/unsafe/\(examplePath)@png", "/info/unsafe/\(examplePath)",
        "/thumbor/unsafe/60x0/src.test/photo.jpg",
    ]

    @Test(arguments: targets)
    func `a truncated JPEG is an error, unless damaged originals are shown`(target: String) async throws {
        let file = try JPEGEncoder(quality: 90).encode(Self.photograph)
        let half = Data(file.prefix(file.count / 2))
        // A description needs a decode too.
        #expect(try await Self.status(half, shows: false, target).status >= 400)
        #expect(try await Self.status(half, shows: true, target).status == 200)
        // All rows are there, only the end marker is missing.
        #expect(try await Self.status(Data(file.dropLast(2)), shows: false, target).status == 200)
    }

    @Test func `the readable part has the pixels of the image`() async throws {
        let file = try JPEGEncoder(quality: 90).encode(Self.photograph)
        let half = Data(file.prefix(file.count / 2))
        let answer = try await Self.status(half, shows: true, "/unsafe/\(examplePath)@png")
        let (part, whole) = (
            try CodecRegistry.publicWeb.decode(answer.body), try CodecRegistry.publicWeb.decode(file)
        )
        #expect(part.size == whole.size)
        let rowByteCount = whole.size.width * 4
        let (shown, wanted) = ([UInt8](part.rgba8()), [UInt8](whole.rgba8()))
        // The first rows; libjpeg smooths rows at the border of the damage.
        #expect(shown.prefix(16 * rowByteCount) == wanted.prefix(16 * rowByteCount))
        #expect(shown.suffix(rowByteCount) != wanted.suffix(rowByteCount))
    }

    @Test func `bytes that are no image are an error in either case`() async throws {
        for data in [Data(), Data("<html>".utf8), Data([0xFF, 0xD8, 0xFF]), Data(count: 5_000)] {
            for shows in [false, true] {
                let answer = try await Self.status(data, shows: shows, Self.targets[0])
                #expect(answer.status >= 400 && answer["Cache-Control"] == "no-store")
            }
        }
    }

    @Test func `a result of a damaged original has its own key`() throws {
        let rendering = try ImgproxyGrammar().rendering(of: "/unsafe/w:60/\(examplePath)")
        #expect(try rendering.request() != rendering.request(damage: .allowsPartialImage))
    }
}
