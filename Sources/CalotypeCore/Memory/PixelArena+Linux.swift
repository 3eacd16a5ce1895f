package import CalotypeSupport

/// Shared memory for pixels provided by another process, which receives them without a copy
/// (memfd_create(2)).
///
/// Pieces lie in it one after another, each in huge pages of its own. The piece that is handed over stays
/// readable here, and is not written to any more.
package final class PixelArena: Sendable {
    /// The room for the pixels of this process; only workers have one.
    private static let current = Guarded<PixelArena?>(nil)

    /// The maximum allocated ahead of a decode; the file may turn out to contain less.
    package static let maxByteCount = 48 << 20

    private let file: Descriptor
    private let byteCount: Int
    private let state = Guarded(State())

    private struct State {
        var pieceCount = 0
        /// The end of the last piece.
        var end = 0
        var isHandedOver = false
    }

    /// Creates a room in a file; `nil` if the file has no size.
    package init?(_ file: Descriptor) {
        let size = lseek(file.number, 0, SEEK_END)
        guard size > 0 else { return nil }
        (self.file, byteCount) = (file, Int(size))
    }

    /// Allocates the pixels of this process here from now on, until a piece is handed over.
    package func use() { Self.current.withLock { $0 = self } }

    /// Allocates in the room of this process; `nil` without a room, or if the room returns `nil`.
    static func memory(_ byteCount: Int) -> PixelMemory? { current.withLock { $0 }?.memory(byteCount) }

    /// Allocates zeroed memory that will soon have huge pages.
    ///
    /// Returns `nil` if the piece exceeds the room, if all pieces together exceed ``maxByteCount``, if much
    /// of its huge pages would be wasted, or if the kernel has no huge pages: faulting in and mapping small
    /// pages twice takes longer than a copy.
    package func memory(_ byteCount: Int) -> PixelMemory? {
        let most = min(self.byteCount, Self.maxByteCount)
        guard byteCount <= most else { return nil }
        let room = PixelMemory.wholeHugePages(byteCount)
        guard room - byteCount <= byteCount / 8 else { return nil }
        let offset: Int? = state.withLock { state in
            guard !state.isHandedOver, state.end + room <= most else { return nil }
            defer { (state.pieceCount, state.end) = (state.pieceCount + 1, state.end + room) }
            return state.end
        }
        guard let offset else { return nil }
        guard let start = unsafe PixelMemory.reserve(room), unsafe map(start, room, at: offset, MAP_SHARED)
        else {
            forget()
            return nil
        }
        let piece = unsafe UnsafeMutableRawBufferPointer(start: start, count: byteCount)
        guard let pages = unsafe HugePages(start, byteCount: room) else {
            unsafe takeBack(piece)
            return nil
        }
        return unsafe PixelMemory(piece, of: pages, in: self, at: offset)
    }

    private func map(_ start: UnsafeMutableRawPointer, _ room: Int, at offset: Int, _ kind: Int32) -> Bool {
        let access = kind == MAP_SHARED ? PROT_READ | PROT_WRITE : PROT_READ
        return unsafe mmap(start, room, access, kind | MAP_FIXED, file.number, offset) != MAP_FAILED
    }

    /// Hands the room with a single piece to the process that provided it.
    ///
    /// - Returns: True if it is handed over, false if other pieces exist.
    func handOver(_ piece: UnsafeMutableRawBufferPointer, at offset: Int) -> Bool {
        let isAlone = state.withLock { state in
            guard state.pieceCount == 1, !state.isHandedOver else { return false }
            state.isHandedOver = true
            return true
        }
        guard isAlone, let start = piece.baseAddress else { return false }
        Self.current.withLock { $0 = nil }
        let room = PixelMemory.wholeHugePages(piece.count)
        return unsafe map(start, room, at: offset, MAP_PRIVATE)
    }

    /// Frees a piece; one that has been handed over stays for the other process.
    func takeBack(_ piece: UnsafeMutableRawBufferPointer) {
        let room = PixelMemory.wholeHugePages(piece.count)
        // Pages of a read-only mapping cannot be removed.
        unsafe madvise(piece.baseAddress, room, MADV_REMOVE)
        unsafe munmap(piece.baseAddress, room)
        forget()
    }

    private func forget() {
        state.withLock { state in
            state.pieceCount -= 1
            if state.pieceCount == 0 { state.end = 0 }
        }
    }
}
