import CalotypeCore
import TestSupport
import Testing

@Suite(.gated) struct KeptMemoryTests {
    private let kept = KeptMemory()
    private static let large = KeptMemory.maxByteCount

    /// The address of a block that is filled and returned at once.
    private func use(_ byteCount: Int, _ value: UInt8 = 7) throws -> UnsafeMutableRawPointer? {
        let memory = try #require(kept.memory(byteCount))
        defer { memory.deallocate() }
        #expect(memory.bytes.count == byteCount)
        memory.bytes.initializeMemory(as: UInt8.self, repeating: value)
        return memory.bytes.baseAddress
    }

    @Test func `returned memory is reused`() throws {
        let first = try use(Self.large)
        #expect(try use(KeptMemory.minByteCount) == first)
        #expect(try use(Self.large) == first)
    }

    @Test func `returned memory is zeroed`() throws {
        let sizes = [Self.large, 3_196_161, KeptMemory.minByteCount, 1_000_003, Self.large - 1, 300_000]
        for (number, byteCount) in sizes.enumerated() {
            let start = try #require(try use(byteCount))
            let all = UnsafeRawBufferPointer(start: start, count: Self.large)
            #expect(all.allSatisfy { $0 == 0 }, "\(number)")
        }
    }

    @Test func `memory is lent to one borrower at a time`() throws {
        let one = try #require(kept.memory(Self.large))
        #expect(kept.memory(Self.large) == nil && kept.memory(KeptMemory.minByteCount) == nil)
        one.deallocate()
        _ = try use(Self.large)
    }

    @Test(arguments: [0, 1, KeptMemory.minByteCount - 1, KeptMemory.maxByteCount + 1, .max])
    func `small and very large blocks are not retained`(byteCount: Int) {
        #expect(kept.memory(byteCount) == nil)
    }

    @Test func `a block outlives its lender`() throws {
        var lender: KeptMemory? = KeptMemory()
        let memory = try #require(lender?.memory(KeptMemory.minByteCount))
        lender = nil
        memory.bytes.initializeMemory(as: UInt8.self, repeating: 3)
        #expect(memory.bytes.allSatisfy { $0 == 3 })
        memory.deallocate()
    }
}
