import Calotype
import CalotypeServer
import CalotypeTesting
import Foundation
import PipelineSupport
import TestSupport
import Testing

/// Originals in formats that a client does not accept, and originals smaller than their results.
@Suite(.blocking) struct OriginalFormatTests {
    private static let photograph = TestImages.photograph(PixelSize(width: 120, height: 90))

    private static func bench(_ data: Data) throws -> ServiceBench {
        try ServiceBench { request, _ in
            .network(request.url, data, ["Cache-Control": "max-age=600"])
        }
    }

    private static func ask(
        _ service: ImageService,
        _ options: String,
        _ accept: String? = nil,
        _ end: String = ""
    ) async throws -> ServiceResponse {
        let target = "/unsafe/\(options)/\(examplePath)\(end)"
        return try await service.response(to: ServiceRequest(target: target, accept: accept))
    }

    @Test(arguments: [
        ("image/jpeg", "image/jpeg"), ("image/png,image/*;q=0.5", "image/jpeg"),
        ("image/avif;q=0,image/*", "image/jpeg"), ("image/avif", "image/avif"), ("*/*", "image/avif"),
        ("text/html", "image/avif"),
        ("image/webp,image/jpeg", "image/webp"),
    ])
    func `an AVIF is converted for a client that does not accept it`(accept: String, type: String)
        async throws
    {
        let service = try Self.bench(AVIFEncoder(speed: 10).encode(Self.photograph)).service {
            $0.encodesAVIFInBackground = false
        }
        let answer = try await Self.ask(service, "w:60", accept)
        #expect(answer.status == 200 && answer["Content-Type"] == type)
        #expect(answer["Vary"] == "Accept")
        let info = try CodecRegistry.publicWeb.info(of: answer.body)
        #expect(info.format.mediaType == type && info.size == PixelSize(width: 60, height: 45))
        // A format in the URL is not negotiated.
        #expect(try await Self.ask(service, "w:60", accept, "@avif")["Content-Type"] == "image/avif")
    }

    @Test func `clients with different formats get their own results from the caches`() async throws {
        let service = try Self.bench(WebPEncoder().encode(Self.photograph)).service()
        let accepts = ["*/*", "image/jpeg", "*/*", "image/png,image/jpeg;q=0.5"]
        var types: [String?] = []
        for accept in accepts { types.append(try await Self.ask(service, "w:9", accept)["Content-Type"]) }
        #expect(types == ["image/webp", "image/jpeg", "image/webp", "image/jpeg"])
        #expect(try await Self.ask(service, "w:9", "image/jpeg")["X-Cache"] == "memory")
    }

    @Test func `a client that does not accept the original's format gets its watermark too`() async throws {
        let photo = try WebPEncoder(quality: 100).encode(WatermarkBench.image(WatermarkBench.blue, 120, 90))
        let mark = try WatermarkBench.png(WatermarkBench.red, 20, 10)
        let service = try Self.bench(photo).service { $0.watermark = WatermarkImage(data: mark) }
        for (accept, type) in [("image/png,image/jpeg;q=0.5", "image/jpeg"), ("*/*", "image/webp")] {
            let answer = try await Self.ask(service, "wm:1:nowe:0:0:1", accept)
            #expect(answer.status == 200 && answer["Content-Type"] == type)
            let pixel = try ResponsePixels(answer)[10, 10]
            #expect(pixel[0] > 200 && pixel[2] < 50, "\(pixel)")
        }
    }

    @Test func `a result with a watermark is not replaced by its smaller original`() async throws {
        let file = try Self.jpeg()
        let mark = try WatermarkBench.png(WatermarkBench.red, 20, 10)
        let service = try Self.bench(file).service {
            $0.encodings.keepsSmallerOriginals = true
            $0.watermark = WatermarkImage(data: mark)
        }
        let stripped = try CodecRegistry.standard.strippingMetadata(from: file)
        #expect(try await Self.ask(service, "wm:1/q:90").body != stripped)
        #expect(try await Self.ask(service, "q:90").body == stripped)
    }

    @Test func `without negotiation the field has no effect`() async throws {
        let service = try Self.bench(WebPEncoder().encode(Self.photograph)).service { $0.offers = [] }
        let answer = try await Self.ask(service, "w:9", "image/jpeg")
        #expect(answer["Content-Type"] == "image/webp" && answer["Vary"] == nil)
    }

    // MARK: - Smaller originals

    private static func jpeg() throws -> Data {
        let file = try JPEGEncoder(quality: 20).encode(photograph)
        return file.prefix(2) + [0xFF, 0xFE, 0, 8] + Data("secret".utf8) + file.dropFirst(2)
    }

    @Test(arguments: [
        // Nothing is requested, only a quality, or a size that the original does not reach.
        ("q:90", "", true), ("rs:fit:500:500", "", true), ("q:90", "@jpg", true), ("w:120/h:90", "", true),
        ("w:60", "", false), ("q:90", "@png", false), ("bl:1", "", false), ("q:5", "", false),
        ("rot:90", "", false), ("bg:fff", "", false), ("pd:1", "", false),
    ])
    func `a smaller original without metadata replaces a result with the same pixels`(
        options: String,
        end: String,
        isOriginal: Bool
    ) async throws {
        let file = try Self.jpeg()
        let service = try Self.bench(file).service { $0.encodings.keepsSmallerOriginals = true }
        let answer = try await Self.ask(service, options, nil, end)
        #expect(answer.status == 200)
        let stripped = try CodecRegistry.standard.strippingMetadata(from: file)
        #expect((answer.body == stripped) == isOriginal, "\(options)")
        #expect(answer.body.range(of: Data("secret".utf8)) == nil)
        let plain = try await Self.ask(try Self.bench(file).service(), options, nil, end)
        #expect(plain.body != stripped)
    }

    @Test func `a limit of bytes is met by a smaller original too`() async throws {
        let file = try Self.jpeg()
        let service = try Self.bench(file).service { $0.encodings.keepsSmallerOriginals = true }
        let answer = try await Self.ask(service, "mb:1000000")
        #expect(answer.body.count < file.count)
    }
}
