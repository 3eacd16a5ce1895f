import CalotypeSupport

/// Memory for what a process is given, kept from one piece to the next: to fault in fresh pages takes longer
/// than to fill them.
///
/// A piece is cleared when it is given back, so that nothing of it is left in the process, whatever comes
/// next.
@safe package final class KeptMemory: Sendable {
    /// From so many bytes on a piece is kept; less is quickly had from the heap.
    package static let byteCountMin = 256 << 10
    /// What is larger takes long enough by itself, and is not held by a process that waits.
    package static let byteCountMax = 4 << 20

    private struct State {
        /// Where it is; 0 before the first piece.
        var address: UInt = 0
        var isLent = false
    }

    private let state = Guarded(State())

    package init() {}

    deinit {
        // Pieces hold on to it, so that none is left.
        let address = state.withLock { $0.address }
        unsafe munmap(UnsafeMutableRawPointer(bitPattern: address), Self.byteCountMax)
    }

    /// Memory for a piece, of zeros; `nil` where another piece has it, or for a size that is not kept.
    package func memory(_ byteCount: Int) -> PixelMemory? {
        guard (Self.byteCountMin...Self.byteCountMax).contains(byteCount) else { return nil }
        let address: UInt? = state.withLock { state in
            guard !state.isLent else { return nil }
            if state.address == 0 { state.address = Self.map() }
            state.isLent = state.address != 0
            return state.address
        }
        guard let start = unsafe address.flatMap({ unsafe UnsafeMutableRawPointer(bitPattern: $0) }) else {
            return nil
        }
        return unsafe PixelMemory(.init(start: start, count: byteCount), in: self)
    }

    /// 0 where the system has none to give.
    private static func map() -> UInt {
        guard let start = unsafe PixelMemory.reserve(byteCountMax) else { return 0 }
        unsafe madvise(start, byteCountMax, Int32(MADV_HUGEPAGE))
        return UInt(bitPattern: start)
    }

    /// Takes a piece back; the system may have its pages where memory is short.
    func takeBack(_ piece: UnsafeMutableRawBufferPointer) {
        _ = unsafe piece.initializeMemory(as: UInt8.self, repeating: 0)
        let room = PixelMemory.wholeHugePages(piece.count)
        unsafe madvise(piece.baseAddress, room, Int32(MADV_FREE))
        state.withLock { $0.isLent = false }
    }
}
