import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype
@testable import CalotypeLoading

/// Bytes that callers hold while they wait, all of which count.
@Suite(.gated) struct HeldBytesTests {
    private static let standsIn = ["ETag": "\"1\"", "Cache-Control": "max-age=60, stale-if-error=6000"]

    @Test(arguments: [false, true])
    func `stored originals wait without their bytes, also if the caller waits for the store`(waits: Bool)
        async throws
    {
        let (decoder, store) = (HeldImageDecoder(), CountedByteStore())
        let loader = ScriptedDataLoader { request, _ in .network(request.url, Data()) }
        var configuration = AdmissionBench.configuration(decoder, stores: [store], loader)
        configuration.maxByteCountInFlight = 1 << 20
        let pipeline = ImagePipeline(configuration)
        let requests = try (0..<20).map { number in
            var request = try AdmissionBench.request("host\(number).test", number)
            request.waitsForStore = waits
            request.decoding.limits.maxDuration = .seconds(86_400)
            return request
        }
        for request in requests {
            let data = FakeImageDecoder.data(width: 4, height: 3) + Data(count: 100_000)
            try await store.store(data, forKey: request.url.absoluteString, options: BlobOptions())
        }
        let tasks = requests.map { request in Task { try await pipeline.image(for: request) } }
        _ = await AdmissionBench.eventually {
            pipeline.stages.limits.waitingCodecCount + pipeline.stages.limits.codecCount
                + pipeline.stages.limits.stored.waitingCount >= 20
        }
        let isBounded = await AdmissionBench.eventually { store.held.value.count <= 6 }
        #expect(isBounded, "\(store.held.value.count) originals of 100 kB are held")
        decoder.release()
        for task in tasks { #expect(try await task.value.size.width == 4) }
    }

    @Test func `stand-ins for slow bodies count until they are decoded`() async throws {
        let (decoder, store, body) = (HeldImageDecoder(), CountedByteStore(), PacedBody())
        let isHung = SharedState(false)
        let picture = FakeImageDecoder.data(width: 4, height: 3) + Data(count: 100_000)
        let gate = AsyncGate()
        let loader = ScriptedDataLoader { request, _ in
            var response = FetchResponse.network(request.url, picture, Self.standsIn)
            if isHung.value {
                response.body = FetchBody {
                    FetchBody.Iterator {
                        await gate.wait()
                        return nil
                    }
                }
            }
            return response
        }
        _ = body
        let time = ManualTimeSource()
        var configuration = AdmissionBench.configuration(decoder, stores: [store], loader)
        configuration.maxByteCountInFlight = 1 << 20
        configuration.timeSource = time
        configuration.staleFallbackTimeout = .milliseconds(20)
        configuration.encodedCostLimit = 0
        let pipeline = ImagePipeline(configuration)
        let requests = try (0..<20).map { number in
            var request = try AdmissionBench.request("host\(number).test", number)
            (request.httpCaching, request.waitsForStore) = (.respectsHTTP, true)
            request.decoding.limits.maxDuration = .seconds(86_400)
            return request
        }
        for request in requests { _ = try await pipeline.data(for: request) }
        isHung.withLock { $0 = true }
        time.advance(by: .seconds(90))
        let tasks = requests.map { request in
            var request = request
            request.waitsForStore = false
            return Task { [request] in try await pipeline.image(for: request) }
        }
        _ = await AdmissionBench.eventually {
            pipeline.stages.limits.waitingCodecCount + pipeline.stages.limits.codecCount >= 20
        }
        let isBounded = await AdmissionBench.eventually { store.held.value.count <= 8 }
        #expect(isBounded, "\(store.held.value.count) stand-ins of 100 kB are held")
        #expect(pipeline.stages.limits.stored.heldByteCount > 0, "the budget counts none of them")
        decoder.release()
        for task in tasks { #expect(try await task.value.size.width == 4) }
        gate.open()
        await pipeline.untilIdle()
    }

    @Test func `stored variants that wait for their decode count`() async throws {
        let (decoder, store) = (HeldImageDecoder(), CountedByteStore())
        let loader = ScriptedDataLoader(fakeImages(4, 3))
        var configuration = AdmissionBench.configuration(decoder, stores: [store], loader)
        configuration.maxByteCountInFlight = 1 << 20
        configuration.workGate = AdmissionGate(maxCount: 1, maxWaitingCount: 100)
        let pipeline = ImagePipeline(configuration)
        let image = try FakeImageDecoder().decode(
            FakeImageDecoder.data(width: 4, height: 3),
            options: DecodeOptions()
        )
        let png = try PNGEncoder().encode(image) + Data(count: 100_000)
        let requests = try (0..<20).map { number in
            var request = try AdmissionBench.request("host\(number).test", number)
            request.encoding = .png
            request.cachePolicy.variantOnDisk = .readWrite
            return request
        }
        for request in requests {
            let key = try await pipeline.stages.identity(of: request).key
            try await store.store(png, forKey: key.rawValue, options: BlobOptions())
        }
        var occupant = try AdmissionBench.request("occupant.test")
        occupant.decoding.limits.maxDuration = .seconds(86_400)
        let first = Task { [occupant] in try await pipeline.image(for: occupant) }
        await decoder.reached.wait()
        let tasks = requests.map { request in Task { try await pipeline.image(for: request) } }
        _ = await AdmissionBench.eventually { pipeline.workload.waitingCount >= 20 }
        let isBounded = await AdmissionBench.eventually { store.held.value.count <= 8 }
        #expect(isBounded, "\(store.held.value.count) variants of 100 kB are held")
        decoder.release()
        _ = try await first.value
        for task in tasks { #expect(try await task.value.size.width == 4) }
    }

    @Test func `partial bodies count before they are in memory`() async throws {
        let (partials, mebibyte) = (CountedByteStore(), 1 << 20)
        let picture = FakeImageDecoder.data(width: 4, height: 3) + Data(count: 2 * mebibyte)
        let head = ["ETag": "\"a\"", "Content-Length": "\(picture.count)"]
        let lost = FetchError(.connectionLost, detail: "lost")
        let requests = try (0..<6).map { try AdmissionBench.request("cut.test", $0) }
        var configuration = AdmissionBench.configuration(
            FakeImageDecoder(),
            stores: [FakeByteStore()],
            ScriptedDataLoader { request, _ in
                var response = FetchResponse.network(request.url, picture, head)
                response.body = FetchBody([picture.prefix(mebibyte)], then: lost)
                return response
            }
        )
        configuration.partialStore = partials
        let first = ImagePipeline(configuration)
        for request in requests {
            await #expect(throws: LoadError.self) { try await first.image(for: request) }
        }
        #expect(partials.base.keys.count == 6)
        let gate = AsyncGate()
        var second = AdmissionBench.configuration(
            FakeImageDecoder(),
            stores: [FakeByteStore()],
            ScriptedDataLoader { request, _ in
                var response = FetchResponse.network(request.url, picture, head)
                response.status = 206
                response.headers.removeAll { $0.name == "Content-Length" }
                let range = "bytes \(mebibyte)-\(picture.count - 1)/\(picture.count)"
                response.headers.append(HeaderField("Content-Range", range))
                response.expectedByteCount = picture.count - mebibyte
                response.body = FetchBody {
                    var isSent = false
                    return FetchBody.Iterator {
                        await gate.wait()
                        defer { isSent = true }
                        return isSent ? nil : Data(picture.dropFirst(mebibyte))
                    }
                }
                return response
            }
        )
        second.partialStore = partials
        second.maxByteCountInFlight = mebibyte
        let pipeline = ImagePipeline(second)
        let tasks = requests.map { request in Task { try await pipeline.image(for: request) } }
        // 768 KiB for all, half of it for the origin, and one body that may exceed that.
        let loader = second.loader as? ScriptedDataLoader
        _ = await AdmissionBench.eventually {
            loader?.requests.count == 6 && pipeline.stages.limits.fetching.heldByteCount > mebibyte
        }
        let settles = await AdmissionBench.eventually { partials.held.value.count <= 2 }
        let (held, counted) = (partials.held.value.count, pipeline.stages.limits.fetching.heldByteCount)
        #expect(settles, "\(held) MiB are held, \(counted) bytes are counted")
        gate.open()
        for task in tasks { #expect(try await task.value.size.width == 4) }
    }

    @Test func `stored originals that wait for budget are refused if too many wait`() async throws {
        let (decoder, store) = (HeldImageDecoder(), FakeByteStore())
        let loader = ScriptedDataLoader { request, _ in .network(request.url, Data()) }
        var configuration = AdmissionBench.configuration(decoder, stores: [store], loader)
        configuration.maxByteCountInFlight = 1 << 20
        configuration.workGate = AdmissionGate(maxCount: 1, maxWaitingCount: 1)
        let pipeline = ImagePipeline(configuration)
        let requests = try (0..<40).map { number in
            var request = try AdmissionBench.request("host\(number).test", number)
            request.decoding.limits.maxDuration = .seconds(86_400)
            return request
        }
        for request in requests {
            let data = FakeImageDecoder.data(width: 4, height: 3) + Data(count: 200_000)
            try await store.store(data, forKey: request.url.absoluteString, options: BlobOptions())
        }
        let tasks = requests.map { request in Task { try await pipeline.image(for: request) } }
        let refusedCount = SharedState(0)
        for task in tasks {
            Task {
                guard case .failure(let error as LoadError) = await task.result else { return }
                if error.code == .overloaded { refusedCount.withLock { $0 += 1 } }
            }
        }
        #expect(await AdmissionBench.eventually { refusedCount.value > 30 })
        #expect(pipeline.stages.limits.stored.waitingCount <= 1)
        decoder.release()
        for task in tasks { _ = await task.result }
    }
}
