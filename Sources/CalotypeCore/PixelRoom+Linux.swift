package import CalotypeSupport

/// Memory that another process has given for pixels, which gets them back without a copy (memfd_create(2)).
///
/// Pieces lie in it one behind the other, in huge pages of their own. The one that is handed over can be read
/// here as before, and written by nobody any more.
package final class PixelRoom: Sendable {
    /// Where the pixels of this process are made; only workers have one.
    private static let current = Guarded<PixelRoom?>(nil)

    /// The most that is made ahead of a decode, which may find that there is not as much in its file.
    package static let byteCountMax = 48 << 20

    private let file: Descriptor
    private let byteCount: Int
    private let state = Guarded(State())

    private struct State {
        var pieceCount = 0
        /// Behind the last of them.
        var end = 0
        var isHandedOver = false
    }

    /// Makes pixels in a file; `nil` where that has no size.
    package init?(_ file: Descriptor) {
        let size = lseek(file.number, 0, SEEK_END)
        guard size > 0 else { return nil }
        (self.file, byteCount) = (file, Int(size))
    }

    /// Has the pixels of this process made in here from now on, until some of them are handed over.
    package func use() { Self.current.withLock { $0 = self } }

    /// Memory in the room of this process; `nil` where it has none, or that has none.
    static func memory(_ byteCount: Int) -> PixelMemory? { current.withLock { $0 }?.memory(byteCount) }

    /// Memory for pixels, of zeros and soon there; `nil` where there is no room for it, also below
    /// ``byteCountMax`` for all of them, or it would waste much of its huge pages, or the kernel makes none:
    /// in small ones to be made and mapped twice takes longer than a copy.
    package func memory(_ byteCount: Int) -> PixelMemory? {
        let most = min(self.byteCount, Self.byteCountMax)
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

    /// Leaves the room to the process that has given it, with one piece in it.
    ///
    /// - Returns: Whether it does: not where there is another piece.
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

    /// Makes room of a piece; one that has been handed over stays, for the other process.
    func takeBack(_ piece: UnsafeMutableRawBufferPointer) {
        let room = PixelMemory.wholeHugePages(piece.count)
        // Of what is only read nothing can be removed.
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
