import CalotypeCache
import CalotypeCore
import CalotypeLoading
import FoundationEssentials
import TestSupport
import Testing

@testable import Calotype

/// Tables whose keys clients and origins choose, filled with many long keys.
@Suite(.gated) struct TableLimitTests {
    private static let name = String(repeating: "n", count: 3_000)

    @Test func `the failure memory is limited in bytes`() {
        var memory = FailureMemory(duration: .seconds(60), countMax: .max, byteCountMax: 4 << 20)
        let error = LoadError(stage: .load, underlying: FetchError(.timedOut, detail: Self.name))
        let now = ContinuousClock.now
        for number in 0..<100_000 {
            memory.note(error, of: "\(Self.name)\(number)", at: now)
            #expect(memory.byteCount <= 4 << 20)
        }
        #expect(memory.failure(of: "\(Self.name)99999", at: now) != nil)
        #expect(memory.count > 500)
        for number in 0..<100_000 { memory.remove("\(Self.name)\(number)") }
        #expect((memory.byteCount, memory.count) == (0, 0))
    }

    @Test func `the table of larger images is limited in bytes`() {
        var images = LargerImages()
        for number in 0..<100_000 {
            let key = ImageKey("\(Self.name)\(number / 4)")
            images.note(ImageKey("\(Self.name)\(number)v"), of: key)
        }
        #expect(images.byteCount <= 9 << 20)
        #expect(!images.keys(of: ImageKey("\(Self.name)24999")).isEmpty)
    }

    @Test func `the cost of a validation includes its key`() {
        let memory = MemoryCache<ImageKey, Validation>(costLimit: 4 << 20)
        let validation = Validation(record: nil, contentHash: 1, allowing: StaleAllowance())
        for number in 0..<50_000 {
            let key = ImageKey("\(Self.name)\(number)")
            memory.insert(validation, forKey: key, cost: validation.cost(for: key))
        }
        #expect(memory.statistics.count <= (4 << 20) / 4_000)
    }
}
