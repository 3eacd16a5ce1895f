import Calotype
import CalotypeLoading
import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

@testable import CalotypeServer

/// `POST` of an image, without a listener.
@Suite(.blocking) struct UploadTests {
    private static let key = SigningKey(key: Array("secret".utf8), salt: Array("hello".utf8))
    private static let grammar = ImgproxyGrammar(signature: ImgproxySignature(keys: [key]))

    private static func picture(_ width: Int = 120) throws -> Data {
        try JPEGEncoder(quality: 90).encode(TestImages.photograph(PixelSize(width: width, height: 90)))
    }

    private static func service(
        _ bench: ServiceBench,
        token: String? = nil,
        isSigned: Bool = true,
        _ configure: (inout ImageService.Configuration) -> Void = { _ in }
    ) -> ImageService {
        bench.service {
            if isSigned { $0.imgproxy = grammar }
            $0.uploads = UploadSettings(token: token.map { SigningKey($0) })
            configure(&$0)
        }
    }

    /// Sends a body in chunks.
    private func post(
        _ service: ImageService,
        _ target: String,
        _ body: Data,
        authorization: String? = nil,
        accept: String? = nil,
        chunk: Int = 1_000
    ) async throws -> ServiceResponse {
        var request = ServiceRequest(target: target, accept: accept)
        request.method = "POST"
        do {
            let upload = try service.upload(request, authorization: authorization, byteCount: nil)
            var rest = body
            while !rest.isEmpty {
                try await upload.receive(rest.prefix(chunk))
                rest = rest.dropFirst(chunk)
            }
            return try await service.response(to: upload)
        } catch let error as CancellationError {
            throw error
        } catch {
            return service.response(toFailure: error, ofUpload: request)
        }
    }

    private func code(_ answer: ServiceResponse) -> String {
        String(decoding: answer.body, as: UTF8.self)
    }

    @Test func `a signed upload returns the result, and nothing is stored or loaded`() async throws {
        let bench = try ServiceBench()
        let service = Self.service(bench)
        let target = try Self.grammar.signed("/rs:fit:60:60/plain/-@png")
        let answer = try await post(service, target, try Self.picture())
        #expect(answer.status == 200 && answer["Content-Type"] == "image/png")
        let info = try CodecRegistry.publicWeb.info(of: answer.body, limits: DecodeLimits())
        #expect(info.size == PixelSize(width: 60, height: 45))
        #expect(answer["Cache-Control"] == "no-store" && answer["ETag"] == nil && answer["Vary"] == nil)
        #expect(answer["Content-Disposition"] == "inline; filename=\"image.png\"")
        #expect(answer["Server-Timing"]?.contains("encode") == true)
        await service.pipeline.untilIdle()
        #expect(bench.loader.requests.isEmpty)
        #expect(service.pipeline.encodedMemoryLevel.cost == 0)
        let get = try await service.response(to: ServiceRequest(target: target))
        #expect(get.status == 404, "a GET of the path has no source")
    }

    @Test func `an upload has the pixels that the same image has by its URL`() async throws {
        let data = try Self.picture()
        let bench = try ServiceBench { request, _ in .network(request.url, data) }
        let options = "/rs:fill:50:50/g:no/bl:1"
        let url = try Self.grammar.signed("\(options)/\(examplePath)@png")
        let loaded = try await Self.service(bench).response(to: ServiceRequest(target: url))
        let target = try Self.grammar.signed("\(options)/plain/-@png")
        let uploaded = try await post(Self.service(bench), target, data)
        #expect(uploaded.status == 200 && uploaded.body == loaded.body)
    }

    @Test func `two uploads of one path are two results`() async throws {
        let service = Self.service(try ServiceBench())
        let target = try Self.grammar.signed("/w:30/plain/-@png")
        let (left, right) = (try Self.picture(120), try Self.picture(180))
        async let one = post(service, target, left)
        async let two = post(service, target, right)
        let sizes = try await [one, two].map {
            try CodecRegistry.publicWeb.info(of: $0.body, limits: DecodeLimits()).size.height
        }
        #expect(sizes == [23, 15])
    }

    @Test func `the format follows Accept, but AVIF only if the URL names it`() async throws {
        let service = Self.service(try ServiceBench())
        let target = try Self.grammar.signed("/w:30/plain/-")
        let body = try Self.picture()
        let webP = try await post(service, target, body, accept: "image/avif,image/webp")
        #expect(webP["Content-Type"] == "image/webp")
        #expect(try await post(service, target, body)["Content-Type"] == "image/jpeg")
        let avif = try await post(service, try Self.grammar.signed("/w:30/plain/-@avif"), body)
        #expect(avif["Content-Type"] == "image/avif")
    }

    @Test func `a format that the client does not accept is converted`() async throws {
        let service = Self.service(try ServiceBench())
        let body = try WebPEncoder().encode(TestImages.photograph(PixelSize(width: 60, height: 45)))
        let target = try Self.grammar.signed("/w:30/plain/-")
        for (accept, type) in [("image/jpeg", "image/jpeg"), ("*/*", "image/webp")] {
            #expect(try await post(service, target, body, accept: accept)["Content-Type"] == type)
        }
    }

    @Test func `a smaller upload without metadata replaces a result with the same pixels`() async throws {
        let photo = TestImages.photograph(PixelSize(width: 60, height: 45))
        let body = try JPEGEncoder(quality: 20).encode(photo)
        let service = Self.service(try ServiceBench()) { $0.encodings.keepsSmallerOriginals = true }
        let answer = try await post(service, try Self.grammar.signed("/q:95/plain/-"), body)
        #expect(answer.body == (try CodecRegistry.standard.strippingMetadata(from: body)))
        let small = try await post(service, try Self.grammar.signed("/q:95/w:30/plain/-"), body)
        #expect(small.status == 200 && small.body != answer.body)
    }

    @Test func `skp returns the body itself`() async throws {
        let service = Self.service(try ServiceBench())
        let body = try Self.picture()
        let answer = try await post(service, try Self.grammar.signed("/skp:jpg/w:9/plain/-"), body)
        #expect(answer.status == 200 && answer.body == body && answer["Content-Type"] == "image/jpeg")
    }

    @Test(arguments: [
        ("Bearer token-1", 200), ("bearer token-1", 200), ("Bearer token-2", 401), ("token-1", 401),
        ("Bearer", 401), ("Bearer token-1 x", 401), ("", 401), ("Basic token-1", 401),
    ])
    func `the token replaces the signature, and a wrong one is refused`(
        authorization: String,
        status: Int
    ) async throws {
        let service = Self.service(try ServiceBench(), token: "token-1")
        let body = try Self.picture()
        let answer = try await post(service, "/any/w:30/plain/-", body, authorization: authorization)
        #expect(answer.status == status && (answer["WWW-Authenticate"] == "Bearer") == (status == 401))
        #expect(status == 200 || code(answer).contains("invalidToken"))
        // A signature suffices, without Authorization.
        let signed = try Self.grammar.signed("/w:30/plain/-")
        #expect(try await post(service, signed, body).status == 200)
        #expect(try await post(service, "/any/w:30/plain/-", body).status == 403)
    }

    @Test func `without keys and token no upload is accepted`() async throws {
        let service = Self.service(try ServiceBench(), isSigned: false)
        #expect(try await post(service, "/unsafe/w:30/plain/-", try Self.picture()).status == 403)
        let tokens = Self.service(try ServiceBench(), token: "token-1", isSigned: false)
        #expect(try await post(tokens, "/unsafe/w:30/plain/-", try Self.picture()).status == 401)
        let disabled = try ServiceBench().service()
        #expect(!disabled.acceptsUploads)
        #expect(try await post(disabled, "/unsafe/w:30/plain/-", try Self.picture()).status == 404)
    }

    @Test(arguments: [
        ("/w:30/plain/http://src.test/a", "invalidSource"), ("/w:30/plain/--", "invalidSource"),
        ("/w:30/LQ", "invalidSource"), ("/w:30/plain/%2D%2D", "invalidSource"),
        ("/foo:1/plain/-", "unknownOption"), ("/raw:1/plain/-", "unsupportedOption"),
        ("/exp:1/plain/-", "expired"), ("/plain/-@svg", "unsupportedFormat"),
        ("/w:99999999/plain/-", "invalidOption"),
    ])
    func `a signed path without a result is refused before the body`(path: String, code: String) throws {
        let service = Self.service(try ServiceBench())
        let request = ServiceRequest(target: try Self.grammar.signed(path))
        let found = #expect(throws: RequestError.self) {
            try service.upload(request, authorization: nil, byteCount: nil)
        }
        #expect(found?.code.label == code)
    }

    // MARK: Hostile bodies

    @Test func `a body over the limit is refused where it exceeds it, or by its length`() async throws {
        let service = Self.service(try ServiceBench()) { $0.limits.maxByteCount = 5_000 }
        let target = try Self.grammar.signed("/w:30/plain/-")
        let answer = try await post(service, target, Data(count: 5_001))
        #expect(answer.status == 413 && code(answer).contains("bodyTooLarge"))
        let request = ServiceRequest(target: target)
        for length in [5_001, Int.max] {
            let error = #expect(throws: RequestError.self) {
                try service.upload(request, authorization: nil, byteCount: length)
            }
            #expect(error?.code == .bodyTooLarge)
        }
        _ = try service.upload(request, authorization: nil, byteCount: 5_000)
    }

    @Test(arguments: [
        Data(), Data("<html>secret</html>".utf8), Data([0xFF, 0xD8, 0xFF, 0xE0]), Data(count: 4_000),
        Data("GIF89a".utf8), Data("\u{89}PNG\r\n\u{1A}\n".utf8),
    ])
    func `a body that is not an image is refused, and not echoed`(body: Data) async throws {
        let service = Self.service(try ServiceBench())
        let answer = try await post(service, try Self.grammar.signed("/w:30/plain/-"), body)
        #expect(answer.status == 422 && !code(answer).contains("secret"))
        #expect(answer["Cache-Control"] == "no-store")
    }

    @Test func `an image over the pixel limit is refused, and names no memory`() async throws {
        let service = Self.service(try ServiceBench()) { $0.limits.maxPixelCount = 100 }
        let answer = try await post(service, try Self.grammar.signed("/w:9/plain/-"), try Self.picture())
        #expect(answer.status == 422 && code(answer).contains("limitExceeded"))
    }

    @Test func `a body that arrives holds no permit, and its bytes count in the budget of loads`()
        async throws
    {
        let bench = try ServiceBench()
        let service = bench.service(work: 1, waiting: 0) {
            $0.imgproxy = Self.grammar
            $0.uploads = UploadSettings()
        }
        var request = ServiceRequest(target: try Self.grammar.signed("/w:30/plain/-"))
        request.method = "POST"
        let upload = try service.upload(request, authorization: nil, byteCount: nil)
        try await upload.receive(Data(count: 100_000))
        #expect(service.pipeline.workload.runningCount == 0)
        #expect(service.pipeline.activity.undecodedByteCount >= 100_000)
        let other = try Self.grammar.signed("/w:31/\(examplePath)")
        #expect(try await service.response(to: ServiceRequest(target: other)).status == 200)
        upload.release()
        #expect(service.pipeline.activity.undecodedByteCount == 0)
    }

    @Test func `an upload has its watermark, by URL and by settings`() async throws {
        let mark = try WatermarkBench.png(WatermarkBench.red, 20, 10)
        let bench = try ServiceBench { request, _ in .network(request.url, mark) }
        let service = Self.service(bench) { $0.watermark = WatermarkImage(data: mark) }
        let body = try WatermarkBench.png(WatermarkBench.blue, 120, 90)
        for options in ["/wm:1:soea", "/wm:1:soea/wmu:\(WatermarkBench.address)"] {
            let answer = try await post(service, try Self.grammar.signed("\(options)/plain/-@png"), body)
            #expect(answer.status == 200, "\(options)")
            #expect(try ResponsePixels(answer).box(of: WatermarkBench.red) == [100, 80, 20, 10])
        }
        #expect(bench.loader.requests.map(\.url.absoluteString) == ["http://src.test/wm.png"])
    }

    @Test func `an option of /info, and a missing or forbidden watermark, are refused before the body`()
        async throws
    {
        let policy = try SourcePolicy(["a.test"])
        let service = Self.service(try ServiceBench()) { $0.sources = policy }
        let address = WatermarkBench.address
        for (options, status) in [("/exif:0", 404), ("/wm:1", 422), ("/wm:1/wmu:\(address)", 403)] {
            let path = try Self.grammar.signed("\(options)/plain/-@png")
            let error = #expect(throws: RequestError.self) {
                _ = try service.upload(ServiceRequest(target: path), authorization: nil, byteCount: nil)
            }
            #expect(error.map { ProblemDocument($0).status } == status, "\(options)")
        }
    }

    @Test func `an upload whose watermark fails gets the error of the watermark`() async throws {
        let bench = try ServiceBench { request, _ in .network(request.url, Data("none".utf8)) }
        let path = try Self.grammar.signed("/wm:1/wmu:\(WatermarkBench.address)/plain/-@png")
        let answer = try await post(Self.service(bench), path, try Self.picture())
        #expect(answer.status == 422 && code(answer).contains("watermarkFailed"))
    }

    @Test func `an upload that is dropped returns its budget`() async throws {
        let service = Self.service(try ServiceBench())
        var upload: Upload? = try service.upload(
            ServiceRequest(target: try Self.grammar.signed("/w:30/plain/-")),
            authorization: nil,
            byteCount: 1_000_000
        )
        try await upload?.receive(Data(count: 10))
        #expect(service.pipeline.activity.undecodedByteCount > 0)
        upload = nil
        #expect(service.pipeline.activity.undecodedByteCount == 0)
    }

    @Test func `an upload is recorded once, without its path as a source`() async throws {
        let records = SharedState<[ServiceRecord]>([])
        struct Recorder: ServiceObserver {
            let records: SharedState<[ServiceRecord]>
            func didRespond(_ record: ServiceRecord) { records.withLock { $0.append(record) } }
        }
        let service = Self.service(try ServiceBench()) { $0.observer = Recorder(records: records) }
        _ = try await post(service, try Self.grammar.signed("/w:30/plain/-"), try Self.picture())
        _ = try await post(service, "/bad/w:30/plain/-", Data())
        #expect(records.value.map(\.status) == [200, 403])
        #expect(records.value.map(\.method) == ["POST", "POST"])
        #expect(records.value.map(\.source) == ["upload", nil])
        #expect(records.value[1].errorCode == "invalidSignature")
    }
}
