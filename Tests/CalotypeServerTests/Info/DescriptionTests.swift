import Calotype
import CalotypeTesting
import Foundation
import PipelineSupport
import TestSupport
import Testing

@testable import CalotypeServer

@Suite(.blocking) struct DescriptionTests {
    @Test func `an image is described by its own URL below info`() async throws {
        let bench = try ServiceBench()
        let service = bench.service()
        let request = ServiceRequest(target: "/info/unsafe/w:9/\(examplePath)")
        let answer = try await service.response(to: request)
        #expect(answer.status == 200 && answer["Content-Type"] == "application/json")
        let json = try #require(try JSONSerialization.jsonObject(with: answer.body) as? [String: Any])
        #expect(json["width"] as? Int == 120 && json["height"] as? Int == 90)
        #expect(json["format"] as? String == "jpeg" && json["frames"] as? Int == 1)
        #expect(json["orientation"] as? Int == 1 && json["hasAlpha"] as? Bool == false)
        #expect(try #require(json["bytes"] as? Int) > 0)
        #expect(BlurHash(try #require(json["blurHash"] as? String)) != nil)
        #expect(ThumbHash(try #require(json["thumbHash"] as? String)) != nil)
        let palette = try #require(json["palette"] as? [String])
        #expect(!palette.isEmpty && palette.allSatisfy { $0.count == 6 })
        let again = try await service.response(to: request)
        #expect(again["X-Cache"] == "memory" && again.body == answer.body)
        var conditional = request
        conditional.ifNoneMatch = answer["ETag"]
        #expect(try await service.response(to: conditional).status == 304)
        conditional.ifNoneMatch = nil
        conditional.ifModifiedSince = answer["Last-Modified"]
        #expect(answer["Last-Modified"] != nil && answer["Cache-Control"] == "no-cache")
        #expect(try await service.response(to: conditional).status == 304)
        conditional.ifModifiedSince = "Thu, 01 Jan 1970 00:00:00 GMT"
        #expect(try await service.response(to: conditional).status == 200)
        #expect(bench.loader.requests.count == 1)
    }

    @Test func `sixteen concurrent requests for one description cause one decode`() async throws {
        let held = HeldImageDecoder()
        var codecs = CodecRegistry.publicWeb
        codecs.register(held)
        let data = FakeImageDecoder.data(width: 40, height: 30)
        let bench = try ServiceBench { request, _ in .network(request.url, data) }
        let service = bench.service(codecs: codecs)
        let request = ServiceRequest(target: "/info/unsafe/\(examplePath)")
        let clients = (0..<16).map { _ in Task { try await service.response(to: request) } }
        while service.describing.waiterCount < clients.count { await Task.yield() }
        held.release()
        var bodies = Set<Data>()
        for client in clients {
            let answer = try await client.value
            #expect(answer.status == 200)
            bodies.insert(answer.body)
        }
        #expect(bodies.count == 1 && held.startedCount == 1 && service.pipeline.workload.decodeCount == 1)
    }

    @Test func `a description has the timeout of an image`() async throws {
        let held = HeldImageDecoder()
        var codecs = CodecRegistry.publicWeb
        codecs.register(held)
        let data = FakeImageDecoder.data(width: 40, height: 30)
        let bench = try ServiceBench { request, _ in .network(request.url, data) }
        let service = bench.service(codecs: codecs) { $0.timeout = .milliseconds(50) }
        let answer = try await service.response(to: ServiceRequest(target: "/info/unsafe/\(examplePath)"))
        #expect(answer.status == 503 && answer["Retry-After"] == "1")
        held.release()
    }

    @Test func `the description of a no-store original is not cached`() async throws {
        let data = try JPEGEncoder().encode(TestImages.photograph(PixelSize(width: 12, height: 9)))
        let bench = try ServiceBench { request, _ in
            .network(request.url, data, ["Cache-Control": "no-store"])
        }
        let answer = try await bench.service().response(
            to: ServiceRequest(target: "/info/unsafe/\(examplePath)")
        )
        #expect(answer.status == 200 && answer["Cache-Control"] == "no-store")
    }

    @Test
    func `a failed description is refused, and retried by the next request`() async throws {
        let decoder = FakeImageDecoder()
        var codecs = CodecRegistry.publicWeb
        codecs.register(decoder)
        let data = FakeImageDecoder.data(width: 40, height: 30, suffix: "corrupt")
        let bench = try ServiceBench { request, _ in .network(request.url, data) }
        let service = bench.service(codecs: codecs)
        let request = ServiceRequest(target: "/info/unsafe/\(examplePath)")
        for count in 1...2 {
            #expect(try await service.response(to: request).status == 422)
            #expect(decoder.decodeCount == count && service.describing.waiterCount == 0)
        }
    }

    @Test func `a description is signed like its image`() async throws {
        let key = SigningKey(key: Array("key".utf8), salt: Array("salt".utf8))
        let grammar = ImgproxyGrammar(signature: ImgproxySignature(keys: [key]))
        let service = try ServiceBench().service { $0.imgproxy = grammar }
        let signed = try grammar.signed("/w:9/\(examplePath)")
        #expect(try await service.response(to: ServiceRequest(target: "/info\(signed)")).status == 200)
        let unsigned = ServiceRequest(target: "/info/unsafe/w:9/\(examplePath)")
        #expect(try await service.response(to: unsigned).status == 403)
    }
}
