import Calotype
import CalotypeTesting
import CalotypeTransforms
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

@testable import CalotypeServer

/// Tables whose keys clients choose, filled with many keys.
@Suite(.blocking) struct ServiceTableLimitTests {
    @Test func `the statistics are limited in bytes`() async {
        var statistics = StatisticsSnapshot(tiers: [.memory, .disk])
        let size = { ManyKeys.byteCount(of: statistics) }
        var largest = 0
        await ManyKeys.fill { number in
            var record = ServiceRecord(status: 400 + number % 100, duration: .milliseconds(number % 977))
            record.source = LoggedPath.text(of: "http://\(number).test/\(ManyKeys.text)")
            record.target = "/unsafe/\(ManyKeys.text)"
            record.errorCode = "code\(number)"
            statistics.add(record, at: Timestamp(nanosecondsSince1970: Int64(number)))
            if number % 10_000 == 0 { largest = max(largest, size()) }
        }
        #expect(max(largest, size()) < 512 << 10)
        #expect(statistics.sources.mostFrequent(.max).count == StatisticsSnapshot.maxSourceCount)
        #expect(statistics.errorCounts.count == StatisticsSnapshot.maxErrorCodeCount + 1)
        #expect(statistics.errorCounts.values.reduce(0, +) == ManyKeys.count)
    }

    @Test func `the cost of a parsed target includes its text`() async throws {
        let service = try ServiceBench().service()
        let rendering = try service.rendering(of: "/unsafe/w:30/plain/http://src.test/photo.jpg")
        let target = try ParsedTarget(rendering, service.configuration)
        await ManyKeys.fill { number in
            let text = "/unsafe/w:30/\(ManyKeys.text)\(number)"
            service.targets.understood.insert(target, forKey: ImageKey(text), cost: target.cost(of: text))
        }
        #expect((1...(8 << 20) / 6_000).contains(service.targets.understood.statistics.count))
    }

    // Keys are built, hashed and compared before anything is loaded.
    @Test(arguments: [
        "rgb(1,2,3)", "contrast(7)", "colorize(1,2,3,fff)", "curve([(1,2)],[],[],[])", "blur(9)",
    ])
    func `the key of a URL is about as long as the URL`(filter: String) async throws {
        let service = try ServiceBench().service()
        let filters = Array(repeating: filter, count: 100).joined(separator: ":")
        let text = "/thumbor/unsafe/filters:\(filters)/src.test/photo.jpg"
        let target = try ParsedTarget(try service.rendering(of: text), service.configuration)
        let request = try #require(try target.requests.request(for: Negotiation()))
        let key = try await service.pipeline.key(for: request)
        #expect(key.rawValue.utf8.count <= 16 * text.utf8.count)
    }

    // A longer key cannot be stored on disk: the result is encoded anew whenever memory has lost it.
    @Test(arguments: [
        (50, "rgb(1,2,3)"),
        (28, "convolution(\(Array(repeating: "1", count: 121).joined(separator: ";")),11)"),
    ])
    func `the key of a result is no longer than stores allow`(count: Int, filter: String) async throws {
        let service = try ServiceBench().service()
        let filters = Array(repeating: filter, count: count).joined(separator: ":")
        let text = "/thumbor/unsafe/filters:\(filters)/src.test/photo.jpg"
        let target = try ParsedTarget(try service.rendering(of: text), service.configuration)
        let request = try #require(try target.requests.request(for: Negotiation()))
        #expect(try await service.pipeline.key(for: request).rawValue.utf8.count <= 65_536)
    }

    // A filter takes more characters in a key than in a URL.
    @Test func `the cost of a parsed target includes the keys of its requests`() async throws {
        let service = try ServiceBench().service()
        let filters = (0..<100).map { "rgb(\($0),2,3)" }.joined(separator: ":")
        let text = "/thumbor/unsafe/filters:\(filters)/src.test/photo.jpg"
        let target = try ParsedTarget(try service.rendering(of: text), service.configuration)
        let request = try #require(try target.requests.request(for: Negotiation()))
        let key = try await service.pipeline.key(for: request)
        #expect(target.cost(of: text) >= target.requests.maxCount * key.rawValue.utf8.count)
    }

    @Test func `watermarks, their pixels, and requests with them are limited in bytes`() async throws {
        let service = try ServiceBench().service {
            $0.watermark = WatermarkImage(data: Data([1]))
        }
        let rendering = try service.rendering(of: "/unsafe/wm:1/plain/http://src.test/photo.jpg")
        let target = try ParsedTarget(rendering, service.configuration)
        let image = TestImages.photograph(PixelSize(width: 200, height: 200))
        let source = try #require(rendering.watermarkSources.first)
        let pictures = WatermarkPictures(pictures: [source: OverlayImage(image)])
        let (table, data) = (service.watermarks, Data(count: 100_000))
        for number in 0..<6_000 {
            table.pixels.keep(.init(.success(image)), overlay: "\(number) \(ManyKeys.text)")
            table.pixels.keep(data, digest: "\(number) \(ManyKeys.text)")
            let name = "/unsafe/wm:1/\(ManyKeys.text)\(number)"
            _ = try table.requests(of: target, named: name, adding: pictures, service.configuration)
        }
        #expect((1...(64 << 20) / 120_000).contains(table.pixels.decoded.statistics.count))
        #expect((1...(64 << 20) / 100_000).contains(table.pixels.encoded.statistics.count))
        #expect((1...(8 << 20) / 8_000).contains(table.requests.statistics.count))
    }

    @Test func `work behind responses is limited in number`() async throws {
        let (isOpen, startedCount) = (AsyncGate(), SharedState(0))
        let bench = try ServiceBench { _, _ in
            startedCount.withLock { $0 += 1 }
            await isOpen.wait()
            throw FetchError(.connectionFailed, detail: "down")
        }
        let service = bench.service()
        for number in 0..<1_000 {
            let url = try #require(URL(string: "http://src.test/\(number).jpg"))
            service.workBehind.make(ImageRequest(url: url), for: url.absoluteString, by: service.pipeline)
        }
        while startedCount.value == 0 { await Task.yield() }
        isOpen.open()
        await service.pipeline.untilIdle()
        #expect((1...16).contains(startedCount.value))
    }
}
