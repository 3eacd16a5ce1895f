import Calotype
import CalotypeServer
import FoundationEssentials
import PipelineSupport
import TestMaterial
import TestSupport
import Testing

/// Damaged and hostile images requested from a complete service; their effects on decoders are tested beside
/// the codecs.
@Suite(.blocking) struct HostilePictureTests {
    private static func expectAnswers(
        to data: Data,
        _ name: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let good = try WebBench.picture()
        let bench = try ServiceBench { request, _ in
            .network(request.url, request.url.path() == "/photo.jpg" ? good : data)
        }
        let service = bench.service()
        let source = "plain/http://src.test/evil"
        for target in [
            "/unsafe/w:30/\(source)", "/unsafe/rs:fill:9:9/\(source)@png", "/info/unsafe/\(source)",
        ] {
            let answer = try await service.response(to: ServiceRequest(target: target))
            let isAnswer = answer.status == 200 || answer.status == 422
            #expect(isAnswer, "\(name) \(target): \(answer.status)", sourceLocation: sourceLocation)
        }
        let next = try await service.response(to: ServiceRequest(target: "/unsafe/w:9/\(examplePath)"))
        #expect(next.status == 200, "\(name)", sourceLocation: sourceLocation)
    }

    @Test(.enabled(if: SharedCorpus.isPresent, "\(SharedCorpus.advice)"))
    func `each malformed corpus file gives an image or one clear refusal`() async throws {
        let files = SharedCorpus.files.filter { $0.path.hasPrefix("malformed/") }
        #expect(files.count > 10)
        for file in files { try await Self.expectAnswers(to: file.bytes(), file.path) }
    }

    @Test func `a truncated, altered or empty file gives an image or one clear refusal`() async throws {
        let picture = try WebBench.picture()
        var flipped = picture
        for index in stride(from: 200, to: flipped.count, by: 97) { flipped[index] ^= 0xFF }
        let pieces = [
            Data(), Data([0]), picture.prefix(2), picture.prefix(200), picture.prefix(picture.count / 2),
            flipped,
            Data("<svg xmlns='http://www.w3.org/2000/svg' width='1' height='1'/>".utf8), Data("GIF89a".utf8),
            Data("\u{89}PNG\r\n\u{1A}\n".utf8), Data(repeating: 0xFF, count: 100_000),
        ]
        for (index, piece) in pieces.enumerated() {
            try await Self.expectAnswers(to: Data(piece), "piece \(index)")
        }
    }

    @Test func `a header that claims more pixels than the limit is refused without decoding`() async throws {
        // The header of a PNG of 100,000×100,000 pixels.
        let size: [UInt8] = [0, 1, 0x86, 0xA0]
        let head: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 13, 10, 26, 10, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52]
        let data = Data(head + size + size + [8, 2, 0, 0, 0, 0, 0, 0, 0])
        let bench = try ServiceBench { request, _ in .network(request.url, data) }
        let service = bench.service()
        let answer = try await service.response(to: ServiceRequest(target: "/unsafe/w:9/\(examplePath)"))
        #expect(answer.status == 422)
    }
}
