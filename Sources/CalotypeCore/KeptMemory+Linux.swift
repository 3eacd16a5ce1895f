import CalotypeSupport

/// Memory for what a process is given, kept from one piece to the next: to fault in fresh pages takes as long
/// as to fill them.
///
/// Nothing of one piece is left when the next is there: what reaches further than that is cleared.
@safe package final class KeptMemory: Sendable {
    /// From so many bytes on a piece is kept; less is quickly had from the heap.
    package static let byteCountMin = 256 << 10
    /// What is larger takes long enough by itself, and is not held by a process that waits.
    package static let byteCountMax = 4 << 20

    private struct State {
        /// Where it is; 0 before the first piece.
        var address: UInt = 0
        /// How far pieces have reached so far.
        var end = 0
        var isLent = false
    }

    private let state = Guarded(State())

    package init() {}

    deinit {
        // Pieces hold on to it, so that none is left.
        let address = state.withLock { $0.address }
        unsafe munmap(UnsafeMutableRawPointer(bitPattern: address), Self.byteCountMax)
    }

    /// Memory for a piece, with zeros behind it; `nil` where another piece has it, or for a size that is not
    /// kept.
    ///
    /// Its bytes are those of the last piece until they are written.
    package func memory(_ byteCount: Int) -> PixelMemory? {
        guard (Self.byteCountMin...Self.byteCountMax).contains(byteCount) else { return nil }
        let address: UInt? = state.withLock { state in
            guard !state.isLent, let start = unsafe Self.start(&state) else { return nil }
            if byteCount < state.end {
                let rest = state.end - byteCount
                unsafe (start + byteCount).initializeMemory(as: UInt8.self, repeating: 0, count: rest)
            }
            (state.end, state.isLent) = (byteCount, true)
            return state.address
        }
        guard let start = unsafe address.flatMap({ unsafe UnsafeMutableRawPointer(bitPattern: $0) }) else {
            return nil
        }
        return unsafe PixelMemory(.init(start: start, count: byteCount), in: self)
    }

    private static func start(_ state: inout State) -> UnsafeMutableRawPointer? {
        if let start = unsafe UnsafeMutableRawPointer(bitPattern: state.address) { return unsafe start }
        guard let start = unsafe PixelMemory.reserve(byteCountMax) else { return nil }
        unsafe madvise(start, byteCountMax, Int32(MADV_HUGEPAGE))
        state.address = UInt(bitPattern: start)
        return unsafe start
    }

    /// Takes a piece back; the system may have its pages where memory is short.
    func takeBack(_ piece: UnsafeMutableRawBufferPointer) {
        let room = PixelMemory.wholeHugePages(piece.count)
        unsafe madvise(piece.baseAddress, room, Int32(MADV_FREE))
        state.withLock { $0.isLent = false }
    }
}
