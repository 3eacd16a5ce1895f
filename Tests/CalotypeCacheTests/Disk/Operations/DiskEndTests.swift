import CalotypeCore
import CalotypeSupport
import CalotypeTesting
import FoundationEssentials
import TestMaterial
import TestSupport
import Testing

@testable import CalotypeCache

/// Every call returns, also while the cache closes.
@Suite(.blocking) struct DiskEndTests {
    private enum Outcome: Equatable {
        case done
        case closed
        case failed(String)
    }

    private func outcome(_ work: () async throws -> Void) async -> Outcome {
        do {
            try await work()
            return .done
        } catch let error as DiskCacheError where error.code == .closed {
            return .closed
        } catch {
            return .failed("\(error)")
        }
    }

    @Test(arguments: 0..<6)
    func `operations that wait for the count end when the cache closes`(kind: Int) async throws {
        for round in 0..<60 {
            let fixture = try DiskFixture()
            let cache = try DiskCache(fixture.configuration())
            let waiting = Task.immediate {
                await outcome {
                    switch kind {
                    case 0: _ = try await cache.usage()
                    case 1: try await cache.trim(toSize: 0)
                    case 2: _ = try await cache.verify()
                    case 3: try await cache.move(from: fixture.scratch.path + "/none")
                    case 4: try await cache.update(DiskSettings(countLimit: 3))
                    default: try await cache.removeAll()
                    }
                }
            }
            if round % 2 == 0 { await Task.yield() }
            let closing = await outcome { try await cache.close() }
            #expect(closing == .done)
            #expect([.done, .closed].contains(await waiting.value), "round \(round)")
        }
    }

    @Test func `a walk ends with the cache and leaves no files behind`() async throws {
        let fixture = try DiskFixture()
        let first = try await fixture.cache()
        for index in 0..<50 { try await first.store(testBytes(10), forKey: "\(index)") }
        try await first.close()
        let (reached, released) = (AsyncGate(), BlockingGate())
        fixture.files.hold(.list, skipping: 20, reached: reached, until: released)
        let cache = try await fixture.cache(DiskSettings(countLimit: 5))
        await reached.wait()
        let close = Task.immediate { try await cache.close() }
        let usage = Task { await outcome { _ = try await cache.usage() } }
        #expect(await usage.value == .closed)
        released.open()
        try await close.value
        fixture.files.arm(nil)
        await cache.maintenancePool.run {}
        #expect(fixture.files.calls.isEmpty)
        #expect(fixture.files.openFileCount == 0)
        #expect(try fixture.temporaryFiles().isEmpty)
    }

    @Test func `one of two concurrent closes succeeds and the other throws`() async throws {
        for _ in 0..<30 {
            let cache = try await DiskFixture().cache()
            try await cache.store(testBytes(10), forKey: "k")
            async let first = outcome { try await cache.close() }
            async let second = outcome { try await cache.close() }
            let outcomes = await [first, second]
            #expect(outcomes.count { $0 == .done } == 1)
            #expect(outcomes.count { $0 == .closed } == 1)
        }
    }

    @Test func `trimming concurrent with a change of the settings removes the excess`() async throws {
        for _ in 0..<30 {
            let fixture = try DiskFixture()
            let cache = try await fixture.cache()
            for index in 0..<20 { try await cache.store(testBytes(10), forKey: "\(index)") }
            _ = try await cache.usage()
            async let update: Void = cache.update(DiskSettings())
            let removed = try await cache.trim(toSize: 0)
            try await update
            #expect(removed.entryCount == 20)
            #expect(try fixture.entryFiles().isEmpty)
        }
    }

    @Test func `an entry stored while a damaged one is removed stays counted`() async throws {
        let fixture = try DiskFixture()
        let cache = try await fixture.cache()
        for round in 0..<60 {
            let key = "\(round)"
            try await cache.store(testBytes(3000), forKey: key)
            try Data(repeating: 0, count: 3000).write(to: URL(filePath: cache.path(forKey: key)))
            fixture.clock.advance(by: .seconds(1))
            async let read = cache.blob(forKey: key)
            async let write: Void = cache.store(testBytes(3000, seed: 2), forKey: key)
            _ = try await (read, write)
        }
        let files = try fixture.entryFiles()
        #expect(try await cache.usage().entryCount == files.count)
        #expect(try await cache.usage().byteCount == fixture.byteCount(of: files))
        #expect(try await cache.trim(toSize: 0).entryCount == files.count)
        #expect(try fixture.entryFiles().isEmpty)
    }
}
