import CalotypeSupport
import CalotypeTesting
import FoundationEssentials
import Glibc
import LoopbackOrigin
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype

/// 200 loads at a time, a fifth of them faulty and a fifth cancelled, for the requested duration.
///
/// The resources of the process are checked in a soak only: beside other tests theirs are included.
@Suite(.alone)
struct PipelineSoakTests {
    private static let duration = Soak.isRequested ? Duration.seconds(60) : nil

    @Test func `no call is lost, reported twice or left running`() async throws {
        // Run once before the measurement, so that lazily created resources exist.
        _ = try await soak(for: .milliseconds(100))
        let before = try ProcessHoldings()
        let report = try await soak(for: Self.duration ?? .seconds(1))
        #expect(report.ends.values.reduce(0, +) == report.counts.all)
        #expect(report.ends[.value, default: 0] > 0)
        guard Self.duration != nil else { return }
        let after = try ProcessHoldings()
        print("soak: \(report)\nbefore: \(before)\nmiddle: \(report.middle)\nafter: \(after)")
        #expect(after.openFileCount <= before.openFileCount + 4)
        #expect(after.residentByteCount < report.middle.residentByteCount + 32 << 20)
    }

    private struct Report {
        var ends: [StressCall.End: Int]
        var counts: EndCounter.Counts
        var middle: ProcessHoldings
    }

    private func soak(for duration: Duration) async throws -> Report {
        let folder = try ScratchFolder()
        let origin = try await LoopbackOrigin.start(LoopbackOrigin.answerAsPages())
        let counter = EndCounter()
        let pipeline = try pipeline(on: folder, counter)
        let start = ContinuousClock.now
        let base = origin.url("")
        async let firstHalf = load(base, pipeline, until: start + duration / 2, seed: 1)
        var ends = await firstHalf
        await origin.activity.forgetRequests()
        let middle = try ProcessHoldings()
        async let secondHalf = load(base, pipeline, until: start + duration, seed: 1_000)
        ends.merge(await secondHalf) { $0 + $1 }
        let callCount = ends.values.reduce(0, +)
        // An abandoned sequence of events ends a little later than its consumer.
        while counter.counts.all < callCount { await Task.yield() }
        await pipeline.untilIdle()
        #expect(pipeline.waiterCount == 0)
        try await pipeline.shutdown()
        await origin.activity.until { $0.openCount == 0 }
        await origin.close()
        return Report(ends: ends, counts: counter.counts, middle: middle)
    }

    /// A pipeline with caches too small for its requests.
    private func pipeline(on folder: ScratchFolder, _ counter: EndCounter) throws -> ImagePipeline {
        let settings = DiskSettings(sizeLimit: 4 << 20, countLimit: 200)
        let disk = try DiskCache(DiskCache.Configuration(root: folder.path, settings: settings))
        let memory = ImageCache.Memory(costLimit: 1 << 20)
        let cache = ImageCache(memory: memory, stores: [disk], codecs: HTTPBench.codecs())
        var http = HTTPDataLoader.Configuration.patient
        http.maxFetchConcurrencyPerHost = 32
        let configuration = ImagePipeline.Configuration(
            cache: cache,
            loader: RoutingLoader.standard(http),
            observers: [counter]
        )
        return ImagePipeline(configuration.patient)
    }

    /// Keeps 200 calls running until the time is over.
    private func load(
        _ base: URL,
        _ pipeline: ImagePipeline,
        until end: ContinuousClock.Instant,
        seed: UInt64
    ) async -> [StressCall.End: Int] {
        await withTaskGroup(of: [StressCall.End: Int].self) { group in
            for caller in 0..<200 {
                group.addTask {
                    var random = SeededGenerator(seed: seed + UInt64(caller))
                    var ends: [StressCall.End: Int] = [:]
                    repeat {
                        let call = StressCall(
                            &random,
                            pages: 30,
                            faultPercentage: 20,
                            cancellationPercentage: 20
                        )
                        ends[await call.run(base, pipeline), default: 0] += 1
                    } while ContinuousClock.now < end
                    return ends
                }
            }
            return await group.reduce(into: [:]) { $0.merge($1) { $0 + $1 } }
        }
    }
}

/// The system resources of this process.
struct ProcessHoldings {
    let openFileCount: Int
    let residentByteCount: Int

    init() throws {
        openFileCount = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
        let text = SmallFile.text(atPath: "/proc/self/statm") ?? ""
        let fields = text.split(separator: " ").compactMap { Int($0) }
        // The second number is that of the resident pages.
        residentByteCount = (fields.count > 1 ? fields[1] : 0) * Int(sysconf(Int32(_SC_PAGESIZE)))
    }
}
