import CalotypeCodecs
import CalotypeCore
import CalotypeSandbox
import CalotypeSupport
import FoundationEssentials
import HostileCodec
import TestSupport
import Testing
import WorkerSupport

/// Workers that are killed from outside, together exceed the memory limit, or do not start.
@Suite(.alone, .enabled(Workers.advice, Workers.isAvailable)) struct WorkerExitTests {
    private static func started(
        _ maxCount: Int,
        _ change: (inout CodecWorkers.Configuration) -> Void = { _ in }
    ) async throws -> CodecWorkers {
        let workers = try await Workers.started(maxCount: maxCount, change)
        while workers.idleProcessIDs.count < maxCount { await Task.yield() }
        return workers
    }

    /// Whether a process is in a state of proc(5): `R` is running, `T` is stopped.
    private static func isIn(_ state: Character, _ pid: Int32) -> Bool {
        let text = FileManager.default.contents(atPath: "/proc/\(pid)/stat") ?? Data()
        return String(decoding: text, as: UTF8.self).contains(") \(state) ")
    }

    @Test func `idle workers that are killed are reaped at once and do not fail a later job`() async throws {
        let workers = try await Self.started(2)
        let killed = workers.idleProcessIDs
        for pid in killed { kill(pid, SIGKILL) }
        // No job uses them.
        while workers.statistics.processCount > 0 { await Task.yield() }
        for pid in killed {
            while kill(pid, 0) == 0 { await Task.yield() }
            #expect(errno == ESRCH)
        }
        #expect(workers.statistics.lossCounts == [.killed: 2])
        #expect(await workers.error(of: "nothing") == nil)
    }

    @Test func `a job assigned to killed workers succeeds or throws workerUnavailable`() async throws {
        for _ in 0..<10 {
            let workers = try await Self.started(2)
            for pid in workers.idleProcessIDs { kill(pid, SIGKILL) }
            let error = await workers.error(of: "nothing")
            // If one had started the job, the error says that no worker was available.
            #expect(error == nil || error?.code == .workerUnavailable, "\(String(describing: error))")
            #expect(workers.statistics.lossCounts[.crashed] == nil)
        }
    }

    @Test func `a job that a killed worker had not read is done by another`() async throws {
        for _ in 0..<10 {
            let workers = try await Self.started(1)
            let pid = try #require(workers.idleProcessIDs.first)
            kill(pid, SIGSTOP)
            while !Self.isIn("T", pid) { await Task.yield() }
            let job = Task { await workers.error(of: "nothing") }
            while workers.statistics.busyCount == 0 { await Task.yield() }
            // The job is sent in this time or after it; the stopped worker cannot read it.
            for _ in 0..<1_000 { await Task.yield() }
            kill(pid, SIGKILL)
            let error = await job.value
            #expect(error == nil, "\(String(describing: error))")
            #expect(workers.statistics.lossCounts == [.killed: 1])
        }
    }

    @Test func `a job whose worker is killed from outside throws workerUnavailable`() async throws {
        let workers = try await Self.started(1)
        let pid = try #require(workers.idleProcessIDs.first)
        let job = Task { await workers.error(of: "loop") }
        while workers.statistics.busyCount == 0 { await Task.yield() }
        // The worker has received and read the job.
        while !Self.isIn("R", pid) { await Task.yield() }
        kill(pid, SIGKILL)
        let error = await job.value
        #expect(error?.code == .workerUnavailable, "\(String(describing: error))")
        #expect(await workers.error(of: "nothing") == nil)
    }

    @Test func `workers that together exceed the memory limit are stopped and the next job succeeds`()
        async throws
    {
        let workers = try await Self.started(2) {
            $0.maxMemoryByteCount = 2 << 30
            $0.maxTotalMemoryByteCount = 300 << 20
        }
        async let first = workers.error(of: "allocate")
        async let second = workers.error(of: "allocate")
        for error in await [first, second] {
            #expect(error?.code == .workerUnavailable, "\(String(describing: error))")
            #expect(error?.detail.contains("maxTotalMemoryByteCount") == true)
        }
        #expect(await workers.error(of: "nothing") == nil)
        #expect(workers.statistics.lossCounts[.killed] ?? 0 >= 2)
        #expect(workers.statistics.memoryByteCount < 300 << 20)
    }

    @Test func `workers have a high OOM score so that the system kills them first`() async throws {
        let workers = try await Self.started(1)
        let pid = try #require(workers.idleProcessIDs.first)
        let file = try Data(contentsOf: URL(filePath: "/proc/\(pid)/oom_score_adj"))
        let score = Int(String(decoding: file.filter { $0 > 32 }, as: UTF8.self)) ?? 0
        #expect(score >= 500)
    }

    @Test func `a worker that hangs at its start does not delay another start`() async throws {
        let hasEnded = Guarded(false)
        let hanging = Task {
            defer { hasEnded.withLock { $0 = true } }
            _ = try await CodecWorkers.start(
                .init(executable: "/bin/sleep", arguments: ["60"], maxCount: 1)
            )
        }
        for _ in 0..<3 {
            let workers = try await Workers.started(maxCount: 1)
            #expect(await workers.error(of: "nothing") == nil)
        }
        let isOver = hasEnded.withLock { $0 }
        #expect(!isOver)
        withExtendedLifetime(hanging) {}
    }
}
