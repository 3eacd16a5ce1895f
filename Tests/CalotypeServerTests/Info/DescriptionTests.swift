import Calotype
import CalotypeServer
import CalotypeTesting
import Foundation
import PipelineSupport
import TestTraits
import Testing

@Suite(.blocking) struct DescriptionTests {
    @Test func `a picture is described by the URL that would show it`() async throws {
        let bench = try ServiceBench()
        let service = bench.service()
        let request = ServiceRequest(target: "/info/unsafe/w:9/\(examplePath)")
        let answer = try await service.answer(to: request)
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
        let again = try await service.answer(to: request)
        #expect(again["X-Cache"] == "memory" && again.body == answer.body)
        var conditional = request
        conditional.ifNoneMatch = answer["ETag"]
        #expect(try await service.answer(to: conditional).status == 304)
        #expect(bench.loader.requests.count == 1)
    }

    @Test func `a description is signed as the picture is`() async throws {
        let key = SigningKey(key: Array("key".utf8), salt: Array("salt".utf8))
        let grammar = ImgproxyGrammar(signature: ImgproxySignature(keys: [key]))
        let service = try ServiceBench().service { $0.imgproxy = grammar }
        let signed = try grammar.signed("/w:9/\(examplePath)")
        #expect(try await service.answer(to: ServiceRequest(target: "/info\(signed)")).status == 200)
        let unsigned = ServiceRequest(target: "/info/unsafe/w:9/\(examplePath)")
        #expect(try await service.answer(to: unsigned).status == 403)
    }
}
