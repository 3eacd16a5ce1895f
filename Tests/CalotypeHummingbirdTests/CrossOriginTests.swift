import Calotype
import CalotypeServer
import CalotypeTesting
import HTTPTypes
import NIOCore
import PipelineSupport
import TestSupport
import Testing

@testable import CalotypeHummingbird

@Suite(.waiting) struct CrossOriginTests {
    private static let path = "/unsafe/w:30/plain/http://src.test/photo.jpg"
    private static let allowOrigin = HTTPField.Name("Access-Control-Allow-Origin")
    private static let allowMethods = HTTPField.Name("Access-Control-Allow-Methods")

    private static func responder(_ origins: [String]?, acceptsUploads: Bool = false) throws
        -> ServiceResponder
    {
        let data = try JPEGEncoder().encode(TestImages.photograph(PixelSize(width: 60, height: 45)))
        let loader = ScriptedDataLoader { request, _ in
            .network(request.url, data, ["Cache-Control": "max-age=600"])
        }
        var configuration = ImageService.Configuration.patient
        configuration.crossOrigin = try origins.map { try CrossOriginPolicy($0) }
        if acceptsUploads { configuration.uploads = UploadSettings(token: SigningKey("token-1")) }
        return ServiceResponder(
            ImageService(
                pipeline: ImageService.pipeline(.init(cache: ImageCache(codecs: .publicWeb), loader: loader)),
                configuration: configuration
            )
        )
    }

    private func answer(
        _ responder: ServiceResponder,
        _ target: String = path,
        _ method: HTTPRequest.Method = .get,
        origin: String? = nil,
        preflight: String? = nil
    ) async throws -> HTTPResponse {
        var head = HTTPRequest(method: method, scheme: "http", authority: "a.test", path: target)
        if let origin, let name = HTTPField.Name("Origin") { head.headerFields[name] = origin }
        if let preflight, let name = HTTPField.Name("Access-Control-Request-Method") {
            head.headerFields[name] = preflight
        }
        return try await responder.response(to: ListenerRequest(head: head)).head
    }

    private func value(_ name: HTTPField.Name?, _ head: HTTPResponse) -> String? {
        name.flatMap { head.headerFields[$0] }
    }

    @Test(arguments: [(path, 200), ("/unsafe/foo:1/plain/x", 404), ("/bad", 404), ("/health", 200)])
    func `images, errors and health may be read by the configured origin`(target: String, status: Int)
        async throws
    {
        let head = try await answer(try Self.responder(["https://shop.test"]), target)
        #expect(head.status.code == status)
        #expect(value(Self.allowOrigin, head) == "https://shop.test")
        let none = try await answer(try Self.responder(nil), target, origin: "https://shop.test")
        #expect(value(Self.allowOrigin, none) == nil)
    }

    @Test func `with several origins every response varies with Origin, in one Vary`() async throws {
        let responder = try Self.responder(["https://a.test", "https://b.test"])
        let known = try await answer(responder, origin: "https://b.test")
        #expect(value(Self.allowOrigin, known) == "https://b.test")
        #expect(known.headerFields[values: .vary] == ["Accept, Origin"])
        let other = try await answer(responder, origin: "https://evil.test")
        #expect(value(Self.allowOrigin, other) == nil)
        #expect(other.headerFields[values: .vary] == ["Accept, Origin"])
        let error = try await answer(responder, "/bad", origin: "https://a.test")
        #expect(value(Self.allowOrigin, error) == "https://a.test")
        #expect(error.headerFields[values: .vary] == ["Origin"])
        let refused = try await answer(responder, Self.path, .delete, origin: "https://a.test")
        #expect(refused.status == .methodNotAllowed && value(Self.allowOrigin, refused) == "https://a.test")
    }

    @Test func `a preflight request is answered with the methods of the service`() async throws {
        for (acceptsUploads, methods) in [(false, "GET, HEAD, OPTIONS"), (true, "GET, HEAD, OPTIONS, POST")] {
            let responder = try Self.responder(["*"], acceptsUploads: acceptsUploads)
            let head = try await answer(
                responder,
                Self.path,
                .options,
                origin: "https://a.test",
                preflight: "GET"
            )
            #expect(head.status == .noContent && value(Self.allowOrigin, head) == "*")
            #expect(value(Self.allowMethods, head) == methods && head.headerFields[.allow] == methods)
            let plain = try await answer(responder, Self.path, .options)
            #expect(value(Self.allowMethods, plain) == nil && plain.headerFields[.allow] == methods)
        }
    }

    @Test(arguments: [
        "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n", "GET / HTTP/1.1\r\n\r\n",
        "GET /\(String(repeating: "a", count: 9_000)) HTTP/1.1\r\nHost: a\r\n\r\n",
    ])
    func `errors of the listener itself may be read too`(text: String) async throws {
        let responder = try Self.responder(["https://shop.test"])
        let received = try await ListenerBench.run(
            ListenerLimits(),
            refusalFields: { responder.crossOriginFields(for: $0) },
            answer: { try await responder.response(to: $0) }
        ) { port, _ in
            try await RawClient.connect(port).exchange([text])
        }
        #expect(received.hasPrefix("HTTP/1.1 4"))
        #expect(received.lowercased().contains("access-control-allow-origin: https://shop.test\r\n"))
    }
}
