import Calotype
import CalotypeTesting
import Foundation
import PipelineSupport
import TestSupport
import Testing

@testable import CalotypeServer

/// Descriptions that wait for their decode, or must not be stored.
@Suite(.blocking) struct HeldDescriptionTests {
    @Test func `originals of descriptions that wait for a permit count in the budget`() async throws {
        let (decoder, heldCount) = (HeldImageDecoder(), SharedState(0))
        var codecs = CodecRegistry.publicWeb
        codecs.register(decoder)
        let picture = FakeImageDecoder.data(width: 40, height: 30) + Data(count: 100_000)
        let loader = ScriptedDataLoader { request, _ in
            FetchResponse(
                origin: .network,
                url: request.url,
                headers: [HeaderField("Cache-Control", "max-age=600")],
                expectedByteCount: picture.count,
                body: Self.body(picture, heldCount)
            )
        }
        let cache = ImageCache(
            memory: ImageCache.Memory(pressureSource: nil),
            stores: [],
            codecs: codecs
        )
        var pipeline = ImagePipeline.Configuration(cache: cache, loader: loader)
        // 768 kB for bodies, half of it for the origin: 64 kB for each that has begun, and one above that.
        (pipeline.maxByteCountInFlight, pipeline.encodedCostLimit) = (1 << 20, 0)
        var configuration = ImageService.Configuration.patient
        configuration.encodings.codecs = codecs
        let service = ImageService(
            pipeline: ImageService.pipeline(pipeline, maxWorkCount: 1, maxWaitingCount: 100),
            configuration: configuration
        )
        let clients = (0..<20).map { number in
            let target = "/info/unsafe/plain/http://src.test/\(number).fake"
            return Task { try await service.response(to: ServiceRequest(target: target)).status }
        }
        for _ in 0..<200_000 where service.describing.waiterCount < 20 { await Task.yield() }
        #expect((1...8).contains(heldCount.value), "\(heldCount.value) originals of 100 kB are held")
        decoder.release()
        for client in clients { #expect(try await client.value == 200) }
    }

    @Test func `a description of what must not be stored is made again`() async throws {
        let data = try PNGEncoder().encode(TestImages.photograph(PixelSize(width: 20, height: 10)))
        let bench = try ServiceBench { request, _ in
            .network(request.url, data, ["Cache-Control": "no-store"])
        }
        let service = bench.service()
        for _ in 1...2 {
            let answer = try await service.response(to: ServiceRequest(target: "/info/unsafe/\(examplePath)"))
            #expect(answer.status == 200 && answer["X-Cache"] == "miss")
        }
    }

    /// Returns a body of one chunk, which counts while it is held.
    private static func body(_ bytes: Data, _ count: SharedState<Int>) -> FetchBody {
        FetchBody {
            var isRead = false
            return FetchBody.Iterator {
                defer { isRead = true }
                return isRead ? nil : Self.counted(bytes, count)
            }
        }
    }

    /// Returns a copy of bytes that counts while it is held.
    private static func counted(_ bytes: Data, _ count: SharedState<Int>) -> Data {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 16)
        unsafe copy.copyBytes(from: bytes)
        guard let start = copy.baseAddress else { return bytes }
        count.withLock { $0 += 1 }
        return unsafe Data(
            bytesNoCopy: start,
            count: bytes.count,
            deallocator: .custom { bytes, _ in
                unsafe bytes.deallocate()
                count.withLock { $0 -= 1 }
            }
        )
    }
}
