import CalotypeCodecs
import CalotypeCore
import CalotypeSandbox
import FoundationEssentials
import HostileCodec
import TestSupport
import Testing
import WorkerSupport

/// Attempts of code that has taken over a worker, which can only end its own job.
@Suite(.alone, .enabled(Workers.advice, Workers.isAvailable))
struct ContainmentTests {
    @Test(arguments: [
        Deed.open, .create, .connect, .listen, .execute, .fork, .trace, .poke, .killParent, .executableMemory,
        .limits, .unlink,
    ])
    func `a forbidden system call ends its worker`(deed: Deed) async throws {
        let workers = try await Workers.shared
        let error = await workers.error(of: deed.rawValue)
        #expect(error?.code == .crashed)
        #expect(error?.detail == "the worker made a call that its sandbox forbids")
        #expect(await workers.error(of: "nothing") == nil, "the next job is served")
    }

    @Test func `files that the C library opens by itself are missing and the worker survives`() async throws {
        let workers = try await Workers.started(maxCount: 1)
        #expect(await workers.error(of: Deed.ask.rawValue) == nil)
        #expect(workers.statistics.lostCount == 0)
    }

    @Test(arguments: [Deed.null, .overflow, .abort, .exit])
    func `a codec that crashes fails only its own image`(deed: Deed) async throws {
        let workers = try await Workers.shared
        #expect(await workers.error(of: deed.rawValue)?.code == .crashed)
        #expect(await workers.error(of: "nothing") == nil, "the next job is served")
    }

    @Test(arguments: [Deed.loop, .silence, .close, .shout])
    func `a codec that never finishes is stopped at its deadline`(deed: Deed) async throws {
        let workers = try await Workers.started(maxCount: 1)
        let code = await workers.error(of: deed.rawValue, within: .milliseconds(300))?.code
        // A worker that closes its connection looks like one that has ended.
        #expect(code == .timedOut || deed == .close && code == .crashed)
        #expect(await workers.error(of: "nothing") == nil, "the next job is served")
    }

    @Test func `a codec that allocates memory without bound is stopped`() async throws {
        let workers = try await Workers.started(maxCount: 1) { $0.maxMemoryByteCount = 200 << 20 }
        #expect(await workers.error(of: "allocate")?.code == .memoryExceeded)
        #expect(await workers.error(of: "nothing") == nil, "the next job is served")
    }

    @Test func `unmapped memory that a codec holds for pixels counts towards its limit`() async throws {
        let workers = try await Workers.started(maxCount: 1) { $0.maxMemoryByteCount = 200 << 20 }
        #expect(await workers.error(of: "hide")?.code == .memoryExceeded)
        #expect(await workers.error(of: "nothing") == nil, "the next job is served")
    }

    @Test func `a codec that starts threads without bound is stopped`() async throws {
        let workers = try await Workers.started(maxCount: 1) { $0.maxMemoryByteCount = 200 << 20 }
        #expect(await workers.error(of: "threads", within: .seconds(2)) != nil)
        #expect(await workers.error(of: "nothing") == nil, "the next job is served")
    }

    @Test(arguments: Lie.allCases)
    func `an invalid response of a worker is an error`(lie: Lie) async throws {
        let workers = try await Workers.shared
        let error = await workers.error(of: lie.rawValue)
        #expect(error?.code == .crashed, "\(String(describing: error))")
        if let detail = Self.details[lie] { #expect(error?.detail == "the worker sent " + detail) }
        #expect(await workers.error(of: "nothing") == nil, "the next job is served")
    }

    /// The error details for lies in well-formed messages.
    private static let details: [Lie: String] = [
        .morePixels: "more than it announced", .bytesOfNothing: "more than it announced",
        .otherFormat: "an image of another format", .millionFrames: "more frames than the limit",
        .unknownError: "an unknown error code", .keptRoom: "pixels that are still writable",
        .moreRoom: "pixels that use more memory than needed",
        .outsideOfRoom: "pixels outside shared memory", .beforeRoom: "pixels outside shared memory",
        .amidstRoom: "pixels outside shared memory",
    ]

    @Test(arguments: [0, 8 << 20])
    func `a response sent before the input has been read ends its worker`(more: Int) async throws {
        let workers = try await Workers.started(maxCount: 1) { $0.arguments = ["hasty"] }
        let error = await workers.error(of: "nothing" + String(repeating: " ", count: more))
        #expect(error?.code == .crashed)
        #expect(error?.detail == "the worker responded before it had read its input")
    }

    @Test func `heap contents of an image do not appear in a later image`() async throws {
        let workers = try await Workers.started(maxCount: 1)
        #expect(await workers.error(of: "secret") == nil)
        let pixels = try await workers.run { codecs in
            try codecs.decode(Data("HOSTILE leak".utf8)).pixels.withUnsafeBytes { Data($0) }
        }
        #expect(workers.statistics.startedCount == 1)
        #expect(!pixels.contains(0x53))
    }
}
