import Calotype
import CalotypeCodecs
import CalotypeCore
import CalotypeServer
import CalotypeTesting
import FoundationEssentials
import TestMaterial
import TestSupport
import Testing

/// A JPEG decoder that refuses decodes for a while, like a pool whose threads are held by a format.
private final class RefusingDecoder: ForwardingDecoder {
    let base = JPEGDecoder()
    let isRefusing = SharedState(true)

    func decode(_ data: Data, options: DecodeOptions) throws(DecodeError) -> Image {
        if isRefusing.value { throw DecodeError(.refused, format: .jpeg, detail: "threads are held") }
        return try base.decode(data, options: options)
    }
}

/// Decodes refused because others of their format hold too many threads.
@Suite(.gated) struct RefusedDecodeTests {
    @Test func `a refused decode gives 503 with Retry-After, and the next request gets the image`()
        async throws
    {
        var codecs = CodecRegistry.publicWeb
        let decoder = RefusingDecoder()
        codecs.register(decoder)
        let bench = try ServiceBench()
        let service = bench.service(codecs: codecs)
        let target = "/unsafe/w:20/plain/http://src.test/a.jpg"
        for _ in 0..<2 {
            let refused = try await service.response(to: ServiceRequest(target: target))
            #expect(refused.status == 503)
            let retryAfter = refused.fields.first { $0.name == "Retry-After" }?.value
            #expect(retryAfter.flatMap { Int($0) } ?? 0 > 0)
            #expect(String(decoding: refused.body, as: UTF8.self).contains("refused"))
        }
        decoder.isRefusing.withLock { $0 = false }
        #expect(try await service.response(to: ServiceRequest(target: target)).status == 200)
    }
}
