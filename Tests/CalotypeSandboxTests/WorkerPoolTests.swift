import CalotypeCodecs
import CalotypeCore
import CalotypeSandbox
import CalotypeSupport
import FoundationEssentials
import HostileCodec
import TestSupport
import Testing
import WorkerSupport

@Suite(.alone, .enabled(Workers.advice, Workers.isAvailable))
struct WorkerPoolTests {
    @Test func `a lost worker does not affect other jobs`() async throws {
        let workers = try await Workers.started(maxCount: 2)
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for index in 0..<40 {
                let word = index.isMultiple(of: 4) ? "null" : "nothing"
                group.addTask { (await workers.error(of: word) == nil) == (word == "nothing") }
            }
            for try await isRight in group { #expect(isRight) }
        }
        #expect(workers.statistics.lostCount == 10)
    }

    @Test func `crashes leave no process, descriptor or mapping behind`() async throws {
        let workers = try await Workers.started(maxCount: 2)
        #expect(await workers.error(of: "null")?.code == .crashed)
        // The second one, and the replacement of the lost one.
        while workers.statistics.processCount < 2 { await Task.yield() }
        let before = try Footprint()
        for _ in 0..<Footprint.crashCount { #expect(await workers.error(of: "abort")?.code == .crashed) }
        _ = try await workers.run { _ in }
        while workers.statistics.processCount < 2 { await Task.yield() }
        var after = try Footprint()
        // A thread that waits for a core still has to release its descriptors.
        for _ in 0..<1_000 where after.descriptorCount > before.descriptorCount + 8 {
            await Task.yield()
            after = try Footprint()
        }
        #expect(workers.statistics.lostCount == Footprint.crashCount + 1)
        #expect(after.descriptorCount <= before.descriptorCount + 8)
        #expect(after.childCount <= before.childCount + 2)
        #expect(after.mappingCount <= before.mappingCount + 40)
    }

    @Test func `a worker is replaced after its maximum number of jobs`() async throws {
        let workers = try await Workers.started(maxCount: 1) { $0.maxJobCount = 3 }
        for _ in 0..<7 { #expect(await workers.error(of: "nothing") == nil) }
        #expect(workers.statistics.renewedCount == 2 && workers.statistics.lostCount == 0)
    }

    @Test func `cancelling the caller ends its job`() async throws {
        let workers = try await Workers.started(maxCount: 1)
        let codecs = workers.codecs
        let task = Task {
            try await BlockingPool(width: 1).runDecode(atMost: .seconds(30), of: { nil }) {
                try codecs.decode(Data("HOSTILE loop".utf8))
            }
        }
        while workers.statistics.busyCount == 0 { await Task.yield() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(await workers.error(of: "nothing") == nil)
        // It is first asked to stop, and does so if it has not started the job.
        #expect(workers.statistics.lostCount <= 1)
    }

    @Test func `lost workers are counted by reason`() async throws {
        let workers = try await Workers.started(maxCount: 1) { $0.maxMemoryByteCount = 256 << 20 }
        // The first one exists already, so its start takes no time. A worker that is asked to stop before it
        // has started replies, and is not lost.
        while workers.statistics.lossCounts[.timedOut] == nil {
            _ = await workers.error(of: "loop", within: .milliseconds(100))
        }
        let loopCount = workers.statistics.jobCount
        _ = await workers.error(of: "null")
        _ = await workers.error(of: "abort")
        _ = await workers.error(of: "allocate")
        let counts = workers.statistics.lossCounts
        #expect(counts == [.crashed: 2, .memoryExceeded: 1, .timedOut: 1], "\(counts)")
        #expect(loopCount > 0 && workers.statistics.jobCount == loopCount + 3)
    }

    @Test func `a file that finds no free worker within its time limit throws workerUnavailable`()
        async throws
    {
        let workers = try await Workers.started(maxCount: 1)
        let codecs = workers.codecs
        let threads = BlockingPool(width: 2)
        let first = Task {
            try await threads.runDecode(atMost: .seconds(600), of: { nil }) {
                var options = DecodeOptions()
                options.limits.maxDuration = .seconds(600)
                return try codecs.decode(Data("HOSTILE loop".utf8), options: options)
            }
        }
        while workers.statistics.busyCount == 0 { await Task.yield() }
        let error = await #expect(throws: DecodeError.self) {
            // Only its wait for a worker is short: the order of two equal time limits is not determined.
            try await threads.runDecode(atMost: .seconds(600), of: { nil }) {
                var options = DecodeOptions()
                options.limits.maxDuration = .milliseconds(50)
                return try codecs.decode(Data("HOSTILE nothing".utf8), options: options)
            }
        }
        #expect(error?.code == .workerUnavailable && threads.stuckCount == 0)
        first.cancel()
        _ = await first.result
    }

    @Test func `starting a program that is not a worker throws startFailed`() async throws {
        for path in ["/bin/true", "/nowhere/worker"] {
            let error = await #expect(throws: SandboxError.self) {
                try await CodecWorkers.start(CodecWorkers.Configuration(executable: path))
            }
            #expect(error?.code == .startFailed)
        }
    }

    @Test func `a worker started by hand exits with status 2`() throws {
        let (_, status) = try ChildProcess.output(of: try ChildProcess.path(ofProduct: "SandboxProbe"), [])
        #expect(status == 2)
    }

    @Test func `the description of the sandbox is one line`() async throws {
        let text = try await Workers.shared.sandboxSummary
        #expect(text.hasPrefix("seccomp, ") && text.contains("limits") && !text.contains("\n"))
    }
}

/// The descriptors, children and mappings of this process.
private struct Footprint {
    /// Enough to show a leak.
    static let crashCount = Soak.isRequested ? 1_000 : 50

    let descriptorCount, childCount, mappingCount: Int

    init() throws {
        descriptorCount = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
        let children = try Data(contentsOf: URL(filePath: "/proc/self/task/\(getpid())/children"))
        var count = children.split(separator: UInt8(ascii: " ")).count
        for thread in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task") {
            guard thread != "\(getpid())",
                let list = FileManager.default.contents(atPath: "/proc/self/task/\(thread)/children")
            else { continue }
            count += list.split(separator: UInt8(ascii: " ")).count
        }
        childCount = count
        let maps = try Data(contentsOf: URL(filePath: "/proc/self/maps"))
        mappingCount = maps.split(separator: UInt8(ascii: "\n")).count {
            $0.contains(UInt8(ascii: "/")) && String(decoding: $0, as: UTF8.self).contains("memfd:calotype")
        }
    }
}
