import CalotypeCache
import CalotypeTesting
import FoundationEssentials
import Glibc
import TestMaterial
import TestSupport
import Testing

@Suite(
    .blocking,
    .skipped(under: .address, .thread, because: "kills programs, which the sanitizer slows down")
) struct DiskCrashTests {
    private static let killCount = Soak.isRequested ? 10_000 : 30

    /// The number of directories, each with its own probe.
    private static let laneCount = 2

    /// The operation of the probe on a key when it was killed.
    private struct KeyState {
        var committed: UInt64 = 0
        var begun: UInt64?
    }

    @Test(arguments: 0..<laneCount)
    func `a killed process loses nothing it had committed`(lane: Int) async throws {
        let scratch = try ScratchFolder()
        var generator = SeededGenerator(seed: UInt64(7 + lane))
        var states: [Int: KeyState] = [:]
        var sweptCount = 0
        for round in 0..<Self.killCount / Self.laneCount {
            let journal = "\(scratch.path)/journal\(round)"
            let comment = try runAndKill(scratch, journal, round, &generator)
            try replay(journal, into: &states)
            sweptCount += try await check(scratch, &states, comment)
            try await checkSmall(scratch, comment)
        }
        #expect(sweptCount > 0, "no kill ever hit a write")
    }

    @Test func `an entry takes at most 120 bytes of memory in an index of a million`() throws {
        let text = try ProbeProcess.output("index", "1000000")
        let byteCount = try #require(Int(text.trimmingPrefix { $0.isWhitespace }.prefix { $0.isNumber }))
        #expect((88...120).contains(byteCount))
    }

    /// Runs the probe until it is killed: in turns at one of its file calls, during a write, or by a timer.
    private func runAndKill(
        _ scratch: ScratchFolder,
        _ journal: String,
        _ round: Int,
        _ generator: inout SeededGenerator
    ) throws -> Comment {
        let arguments = ["churn", "\(scratch.path)/cache", journal, "\(round)"]
        let moment: String
        let probe: ProbeProcess
        switch round % 3 {
        case 0:
            let count = Int.random(in: 300..<2500, using: &generator)
            moment = "at file call \(count)"
            probe = try ProbeProcess(arguments + ["\(count)"])
        case 1:
            let count = Int.random(in: 0..<100, using: &generator)
            moment = "before the name of entry \(count)"
            // The call of a writer between the bytes of an entry and its rename.
            probe = try ProbeProcess(arguments + ["\(count)", "setTimes"])
        default:
            let delay = Int32.random(in: 0..<60, using: &generator)
            moment = "after \(delay) ms"
            probe = try ProbeProcess(arguments + ["\(Int.max)"])
            probe.kill(afterMilliseconds: delay, from: journal)
        }
        #expect(probe.wait() == -SIGKILL)
        return "round \(round), killed \(moment)"
    }

    private func replay(_ journal: String, into states: inout [Int: KeyState]) throws {
        guard FileManager.default.fileExists(atPath: journal) else { return }
        for line in try String(contentsOfFile: journal, encoding: .utf8).split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count == 3, let key = Int(words[1]), let version = UInt64(words[2]) else {
                Issue.record("the journal says \(line)")
                continue
            }
            if words[0] == "begin" {
                states[key, default: KeyState()].begun = version
            } else {
                states[key] = KeyState(committed: version)
            }
        }
    }

    /// Expects that every committed entry is intact, and each started one is either absent or intact.
    ///
    /// - Returns: The number of swept files.
    private func check(
        _ scratch: ScratchFolder,
        _ states: inout [Int: KeyState],
        _ comment: Comment
    ) async throws -> Int {
        let cache = try await DiskCache.open(.init(root: scratch.path + "/cache", namespace: "kept"))
        for (key, state) in states {
            let blob = try await cache.blob(forKey: "\(key)")
            let version = blob.flatMap { ProbeContent.version(of: $0.data, key: key) }
            #expect((blob == nil) == (version == nil), "wrong bytes for key \(key), \(comment)")
            let found = version ?? 0
            #expect(found == state.committed || found == state.begun, "key \(key), \(comment)")
            states[key] = KeyState(committed: found)
        }
        #expect(try await cache.verify().corruptCount == 0, comment)
        try await expectOrder(scratch, cache, namespace: "kept", comment)
        let sweptCount = cache.statistics.sweptFileCount
        try await cache.close()
        return sweptCount
    }

    private func checkSmall(_ scratch: ScratchFolder, _ comment: Comment) async throws {
        let cache = try await DiskCache.open(.init(root: scratch.path + "/cache", namespace: "small"))
        #expect(try await cache.usage().byteCount <= 40_000, comment)
        for entry in try await cache.entries() {
            let key = try #require(Int(entry.key))
            let blob = try #require(try await cache.blob(forKey: entry.key))
            #expect(ProbeContent.version(of: blob.data, key: key) != nil, comment)
        }
        try await expectOrder(scratch, cache, namespace: "small", comment)
        try await cache.close()
    }

    /// Expects no temporary files, and a usage that matches an independent walk.
    private func expectOrder(
        _ scratch: ScratchFolder,
        _ cache: DiskCache,
        namespace: String,
        _ comment: Comment
    ) async throws {
        let usage = try await cache.usage()
        let files = try scratch.files().filter {
            $0.hasPrefix("cache/\(namespace)/v1/") && !$0.hasSuffix("settings")
        }
        #expect(files.allSatisfy { !$0.contains("/tmp/") }, comment)
        let byteCount = try files.reduce(0) { sum, path in
            sum + (try Data(contentsOf: URL(filePath: scratch.path + "/" + path)).count)
        }
        #expect(usage == StoreUsage(entryCount: files.count, byteCount: byteCount), comment)
    }
}
