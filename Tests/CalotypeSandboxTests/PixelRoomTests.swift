import CalotypeCore
import CalotypeSandbox
import CalotypeSupport
import Testing

/// How pixels get from one process to another without a copy; here both are one.
///
/// Where the kernel makes no huge pages of such memory (before Linux 6.1, or none are left), there is nothing
/// to hand over, and nothing is expected.
struct PixelRoomTests {
    private static let byteCount = 7 << 20
    private let theirs: WorkerRoom
    private let ours: PixelRoom

    init() throws {
        theirs = try #require(WorkerRoom(byteCountMax: 64 << 20))
        let file = try #require(Descriptor(dup(theirs.file.number)))
        ours = try #require(PixelRoom(file))
    }

    private func pixels(of value: UInt8) -> PixelBuffer? {
        guard let memory = ours.memory(Self.byteCount) else { return nil }
        memory.bytes.initializeMemory(as: UInt8.self, repeating: value)
        return PixelBuffer(adopting: memory)
    }

    private func isAll(_ value: UInt8, _ pixels: PixelBuffer) -> Bool {
        pixels.withUnsafeBytes { bytes in bytes.count == Self.byteCount && bytes.allSatisfy { $0 == value } }
    }

    @Test func `pixels that are handed over are the same on both sides, and written by neither`() throws {
        guard let made = pixels(of: 9) else { return }
        let offset = try #require(made.handOver())
        let got = try theirs.pixels(at: offset, byteCount: Self.byteCount)
        #expect(isAll(9, made) && isAll(9, got))
        let access = PROT_READ | PROT_WRITE
        #expect(mmap(nil, 4_096, access, MAP_SHARED, theirs.file.number, offset) == MAP_FAILED)
        #expect(write(theirs.file.number, "a", 1) < 0)
        #expect(made.handOver() == nil && ours.memory(Self.byteCount) == nil, "once")
    }

    @Test func `what has not been handed over leaves nothing behind`() throws {
        guard let made = pixels(of: 5) else { return }
        #expect(isAll(5, made) && theirs.heldByteCount == 8 << 20)
        _ = consume made
        #expect(theirs.heldByteCount == 0)
        guard let memory = ours.memory(Self.byteCount) else { return }
        #expect(isAll(0, PixelBuffer(adopting: memory)))
    }

    @Test func `pixels beside others are not handed over`() throws {
        guard let one = pixels(of: 1), var other = pixels(of: 2) else { return }
        #expect(one.handOver() == nil && isAll(1, one) && isAll(2, other))
        other = one
        let offset = try #require(other.handOver())
        #expect(isAll(1, try theirs.pixels(at: offset, byteCount: Self.byteCount)))
    }

    @Test(arguments: [1_000, 3 << 20, PixelRoom.byteCountMax + 1, 65 << 20])
    func `what would waste much of huge pages, or does not fit, gets no room`(byteCount: Int) {
        #expect(ours.memory(byteCount) == nil && theirs.heldByteCount == 0)
    }
}
