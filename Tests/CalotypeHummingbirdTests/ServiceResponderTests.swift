import Calotype
import CalotypeServer
import CalotypeTesting
import FoundationEssentials
import HTTPTypes
import NIOCore
import PipelineSupport
import TestSupport
import Testing

@testable import CalotypeHummingbird

@Suite(.blocking) struct ServiceResponderTests {
    private final class Records: ServiceObserver {
        let all = SharedState<[ServiceRecord]>([])
        func didRespond(_ record: ServiceRecord) { all.withLock { $0.append(record) } }
    }

    private let records = Records()
    private let path = "/unsafe/rs:fit:60:60/plain/http://src.test/photo.jpg"

    private func answer(
        _ target: String,
        _ method: HTTPRequest.Method = .get,
        below prefix: String = "",
        accept: String? = nil
    ) async throws -> ListenerResponse {
        let data = try JPEGEncoder(quality: 90).encode(
            TestImages.photograph(PixelSize(width: 120, height: 90))
        )
        let loader = ScriptedDataLoader { request, _ in .network(request.url, data, [:]) }
        var configuration = ImageService.Configuration.patient
        configuration.observer = records
        let service = ImageService(
            pipeline: ImageService.pipeline(.init(cache: ImageCache(codecs: .publicWeb), loader: loader)),
            configuration: configuration
        )
        var head = HTTPRequest(method: method, scheme: "http", authority: "a.test", path: target)
        head.headerFields[.accept] = accept
        return try await ServiceResponder(service, below: prefix, observer: records)
            .response(to: ListenerRequest(head: head, id: "name-7"))
    }

    @Test func `an image response is recorded under the request's name`() async throws {
        let answer = try await answer(path)
        #expect(answer.head.status == .ok && answer.body.readableBytes > 0)
        #expect(records.all.value.map(\.requestID) == ["name-7"])
    }

    @Test func `a long body is not copied`() throws {
        let bytes = Data(count: ListenerResponse.sliceByteCount + 1)
        let long = ListenerResponse(ServiceResponse(status: 200, fields: [], body: bytes))
        #expect(long.body.readableBytes == 0 && long.bodyByteCount == bytes.count)
        let addresses = [bytes, try #require(long.longBody)].map { data in
            data.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
        }
        #expect(addresses[0] == addresses[1])
        let short = ListenerResponse(ServiceResponse(status: 200, fields: [], body: bytes.dropFirst()))
        #expect(short.longBody == nil && short.body.readableBytes == bytes.count - 1)
        #expect(ListenerResponse(ServiceResponse(status: 304, fields: [], body: bytes)).bodyByteCount == 0)
    }

    @Test func `images and health are below the path prefix, and other paths are not found`() async throws {
        #expect(try await answer("/images" + path, below: "images/").head.status == .ok)
        #expect(try await answer("/images/health", below: "/images").head.status == .ok)
        #expect(try await answer(path, below: "/images").head.status == .notFound)
        #expect(try await answer("/imagesX" + path, below: "/images").head.status == .notFound)
        #expect(records.all.value.map(\.status) == [200, 404, 404])
    }

    @Test func `GET, HEAD and OPTIONS are the supported methods`() async throws {
        let options = try await answer(path, .options)
        #expect(
            options.head.status == .noContent && options.head.headerFields[.allow] == "GET, HEAD, OPTIONS"
        )
        for method in [HTTPRequest.Method.post, .put, .delete, .trace, .connect] {
            let answer = try await answer(path, method)
            #expect(answer.head.status == .methodNotAllowed && answer.head.headerFields[.allow] != nil)
        }
        #expect(records.all.value.map(\.status) == [405, 405, 405, 405, 405])
    }

    @Test func `an error outside of the service is a problem document if the client accepts JSON`()
        async throws
    {
        for (target, method, status, code) in [
            ("/else" + path, HTTPRequest.Method.get, 404, "malformedPath"), (path, .post, 405, "method"),
        ] {
            let json = try await answer(target, method, below: "/images", accept: "application/json")
            #expect(json.head.status.code == status)
            #expect(json.head.headerFields[.contentType] == "application/problem+json")
            let text = String(buffer: json.body)
            #expect(text.contains("\"status\":\(status)") && text.contains("\"code\":\"\(code)\""))
            let line = try await answer(target, method, below: "/images", accept: "image/webp,*/*")
            #expect(line.head.headerFields[.contentType] == "text/plain; charset=utf-8")
            #expect(line.head.headerFields[.allow] == json.head.headerFields[.allow])
        }
    }

    @Test(arguments: ["", "*", "nothing", "http:/x"])
    func `a target other than a path is not found`(target: String) async throws {
        #expect(try await answer(target).head.status == .notFound)
    }
}
