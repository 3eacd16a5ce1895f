import CalotypeCore
import CalotypeSandbox
import CalotypeSupport
import TestSupport
import Testing

/// The transfer of pixels to another process without a copy; here both sides are one process.
///
/// If the kernel makes no huge pages of such memory (before Linux 6.1, or if none are left), nothing can be
/// transferred, and the tests expect nothing.
@Suite(.alone) struct PixelArenaTests {
    private static let byteCount = 7 << 20
    private let theirs: WorkerArena
    private let ours: PixelArena

    init() throws {
        theirs = try #require(WorkerArena(maxByteCount: 64 << 20))
        let file = try #require(Descriptor(dup(theirs.file.number)))
        ours = try #require(PixelArena(file))
    }

    private func pixels(of value: UInt8) -> PixelBuffer? {
        guard let memory = ours.memory(Self.byteCount) else { return nil }
        memory.bytes.initializeMemory(as: UInt8.self, repeating: value)
        return PixelBuffer(adopting: memory)
    }

    private func isAll(_ value: UInt8, _ pixels: PixelBuffer) -> Bool {
        pixels.withUnsafeBytes { bytes in bytes.count == Self.byteCount && bytes.allSatisfy { $0 == value } }
    }

    @Test func `transferred pixels are equal on both sides and sealed against writes`() throws {
        guard let made = pixels(of: 9) else { return }
        let offset = try #require(made.handOver())
        let got = try theirs.pixels(at: offset, byteCount: Self.byteCount)
        #expect(isAll(9, made) && isAll(9, got))
        let access = PROT_READ | PROT_WRITE
        #expect(mmap(nil, 4_096, access, MAP_SHARED, theirs.file.number, offset) == MAP_FAILED)
        #expect(write(theirs.file.number, "a", 1) < 0)
        #expect(made.handOver() == nil && ours.memory(Self.byteCount) == nil, "once")
    }

    @Test func `pixels that were not transferred are freed and cleared`() throws {
        guard let made = pixels(of: 5) else { return }
        // The written bytes, or all of its huge pages.
        #expect(isAll(5, made) && (Self.byteCount...8 << 20).contains(theirs.heldByteCount))
        _ = consume made
        #expect(theirs.heldByteCount == 0)
        guard let memory = ours.memory(Self.byteCount) else { return }
        #expect(isAll(0, PixelBuffer(adopting: memory)))
    }

    @Test func `pixels written while their pages are allocated are transferred in full`() throws {
        for _ in 0..<40 {
            let room = try #require(WorkerArena(maxByteCount: 64 << 20))
            let file = try #require(Descriptor(dup(room.file.number)))
            let byteCount = 33 << 20
            guard let memory = PixelArena(file)?.memory(byteCount) else { return }
            // One byte in each page, from the end, where no page is huge yet.
            let places = stride(from: byteCount - 1, to: 0, by: -4_096)
            for place in places { memory.bytes[place] = UInt8(truncatingIfNeeded: place / 4_096) | 1 }
            let made = PixelBuffer(adopting: memory)
            let got = try room.pixels(at: try #require(made.handOver()), byteCount: byteCount)
            let isWhole = got.withUnsafeBytes { bytes in
                places.allSatisfy { bytes[$0] == UInt8(truncatingIfNeeded: $0 / 4_096) | 1 }
            }
            #expect(isWhole)
        }
    }

    @Test func `no more pages are allocated for transferred pixels`() throws {
        let byteCount = 32 << 20
        guard let made = ours.memory(byteCount).map({ PixelBuffer(adopting: $0) }) else { return }
        _ = try #require(made.handOver())
        let held = theirs.heldByteCount
        // Waits as long as their allocation would take: that of as many other pages, started later.
        let others = try #require(WorkerArena(maxByteCount: 64 << 20))
        let file = try #require(Descriptor(dup(others.file.number)))
        let next = PixelArena(file)?.memory(byteCount).map { PixelBuffer(adopting: $0) }
        for _ in 0..<10_000 where others.heldByteCount < byteCount { poll(nil, 0, 1) }
        #expect(theirs.heldByteCount == held)
        withExtendedLifetime((made, next)) {}
    }

    @Test func `pixels that share a file with others are not transferred`() throws {
        guard let one = pixels(of: 1), var other = pixels(of: 2) else { return }
        #expect(one.handOver() == nil && isAll(1, one) && isAll(2, other))
        other = one
        let offset = try #require(other.handOver())
        #expect(isAll(1, try theirs.pixels(at: offset, byteCount: Self.byteCount)))
    }

    @Test(arguments: [1_000, 3 << 20, PixelArena.maxByteCount + 1, 65 << 20])
    func `sizes that waste huge pages or exceed the file get no memory`(byteCount: Int) {
        #expect(ours.memory(byteCount) == nil && theirs.heldByteCount == 0)
    }
}
