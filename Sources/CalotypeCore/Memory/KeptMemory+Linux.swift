import CalotypeSupport

/// A buffer that a process reuses for the inputs it receives: faulting in fresh pages takes longer than
/// filling them.
///
/// The buffer is cleared on return, so that nothing of an input remains in the process.
@safe package final class KeptMemory: Sendable {
    /// The minimum size for reuse; smaller pieces come from the heap quickly.
    package static let minByteCount = 256 << 10
    /// The maximum size for reuse; larger inputs take long anyway, and an idle process should not hold them.
    package static let maxByteCount = 4 << 20

    private struct State {
        /// The address of the buffer; 0 before the first use.
        var address: UInt = 0
        var isLent = false
    }

    private let state = Guarded(State())

    package init() {}

    deinit {
        // A lent piece retains this object, so none is left here.
        let address = state.withLock { $0.address }
        unsafe munmap(UnsafeMutableRawPointer(bitPattern: address), Self.maxByteCount)
    }

    /// Returns zeroed memory; `nil` if the buffer is in use, or for a size that is not reused.
    package func memory(_ byteCount: Int) -> PixelMemory? {
        guard (Self.minByteCount...Self.maxByteCount).contains(byteCount) else { return nil }
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

    /// Returns 0 if the system refuses.
    private static func map() -> UInt {
        guard let start = unsafe PixelMemory.reserve(maxByteCount) else { return 0 }
        unsafe madvise(start, maxByteCount, Int32(MADV_HUGEPAGE))
        return UInt(bitPattern: start)
    }

    /// Takes a piece back; under memory pressure, the system may reclaim its pages.
    func takeBack(_ piece: UnsafeMutableRawBufferPointer) {
        _ = unsafe piece.initializeMemory(as: UInt8.self, repeating: 0)
        let room = PixelMemory.wholeHugePages(piece.count)
        unsafe madvise(piece.baseAddress, room, Int32(MADV_FREE))
        state.withLock { $0.isLent = false }
    }
}
