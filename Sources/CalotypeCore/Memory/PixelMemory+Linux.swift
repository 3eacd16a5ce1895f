package import CalotypeSupport
import Synchronization

/// Memory for pixels; large pieces are mapped in huge pages.
///
/// Faulting in a fresh buffer of 40 MB by pages of 4 KiB takes about as long as decoding a photograph into
/// it. Since a file may require more memory than available, a failed allocation is a result here and does not
/// end the process.
@safe package struct PixelMemory {
    /// The requested bytes.
    package let bytes: UnsafeMutableRawBufferPointer

    /// The origin of the memory, to which it is returned.
    private enum Origin {
        case heap
        /// The number of mapped bytes.
        case map(Int)
        case room(PixelArena, offset: Int, HugePages)
        case kept(KeptMemory)
    }

    private let origin: Origin

    /// The size from which memory is mapped.
    private static let minMappedByteCount = Atomic(4 << 20)
    static let hugePageByteCount = 2 << 20
    /// `madvise` advice: populates pages before they are written to (Linux 5.14).
    private static let populate: Int32 = 23

    /// Allocates uninitialized bytes, aligned to 64 bytes; `nil` if the system refuses.
    package init?(byteCount: Int) {
        var start: UnsafeMutableRawPointer?
        if byteCount >= Self.minMappedByteCount.load(ordering: .relaxed) {
            origin = .map(byteCount)
            unsafe start = Self.map(byteCount)
        } else {
            origin = .heap
            guard unsafe posix_memalign(&start, 64, max(1, byteCount)) == 0 else { return nil }
        }
        guard let start = unsafe start else { return nil }
        unsafe bytes = UnsafeMutableRawBufferPointer(start: start, count: byteCount)
    }

    init(
        _ bytes: UnsafeMutableRawBufferPointer,
        of pages: HugePages,
        in room: PixelArena,
        at offset: Int
    ) {
        unsafe self.bytes = bytes
        origin = .room(room, offset: offset, pages)
    }

    /// Wraps memory of a ``KeptMemory``.
    init(_ bytes: UnsafeMutableRawBufferPointer, in kept: KeptMemory) {
        unsafe self.bytes = bytes
        origin = .kept(kept)
    }

    /// Maps the pixels that another process wrote in its ``PixelArena``; `nil` if the system refuses.
    ///
    /// Read-only: a write ends the process.
    package init?(mapping file: Descriptor, at offset: Int, byteCount: Int) {
        let room = Self.wholeHugePages(byteCount)
        guard let start = unsafe Self.reserve(room) else { return nil }
        let flags = MAP_PRIVATE | MAP_FIXED
        let mapped = unsafe mmap(start, room, PROT_READ, flags, file.number, offset)
        unsafe (bytes, origin) = (.init(start: start, count: byteCount), .map(room))
        if unsafe mapped == MAP_FAILED {
            unsafe munmap(start, room)
            return nil
        }
    }

    /// Hands the memory to the process that provided its ``PixelArena``; it is read-only afterwards.
    ///
    /// - Returns: Its offset in the room; `nil` if it is not handed over.
    func handOver() -> Int? {
        guard case .room(let room, let offset, let pages) = origin else { return nil }
        pages.stop()
        return unsafe room.handOver(bytes, at: offset) ? offset : nil
    }

    /// Frees the memory; call it exactly once.
    package func deallocate() {
        switch origin {
        case .heap: unsafe free(bytes.baseAddress)
        case .map(let byteCount): unsafe munmap(bytes.baseAddress, byteCount)
        case .room(let room, _, let pages):
            pages.stop()
            unsafe room.takeBack(bytes)
        case .kept(let kept): unsafe kept.takeBack(bytes)
        }
    }

    /// Sets the size from which memory is mapped, for the whole process; mapped memory holds zeros instead of
    /// former heap contents.
    package static func map(from byteCount: Int) {
        minMappedByteCount.store(byteCount, ordering: .relaxed)
    }

    /// Fills memory from the heap, which may hold bytes of another image, with one value; all other memory
    /// holds zeros initially.
    func clearIfReused(with value: UInt8) {
        guard case .heap = origin else { return }
        _ = unsafe bytes.initializeMemory(as: UInt8.self, repeating: value)
    }

    /// Sets all bytes to zero.
    package func clear() {
        _ = unsafe bytes.initializeMemory(as: UInt8.self, repeating: 0)
    }

    /// Maps memory aligned to a huge page; `nil` if the system refuses.
    ///
    /// The advice covers whole huge pages only, so that no more memory is used than the buffer needs; the
    /// pages of the rest are populated together. The advice has no effect if the kernel does not support it.
    private static func map(_ byteCount: Int) -> UnsafeMutableRawPointer? {
        guard let start = unsafe reserve(byteCount) else { return nil }
        let huge = byteCount / hugePageByteCount * hugePageByteCount
        unsafe madvise(start, huge, Int32(MADV_HUGEPAGE))
        if huge < byteCount { unsafe madvise(start + huge, byteCount - huge, populate) }
        return unsafe start
    }

    /// Reserves zeroed address space aligned to a huge page; `nil` if the system refuses.
    static func reserve(_ byteCount: Int) -> UnsafeMutableRawPointer? {
        let room = byteCount + hugePageByteCount
        let mapped = unsafe mmap(nil, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let mapped = unsafe mapped, unsafe mapped != MAP_FAILED else { return nil }
        let pageSize = sysconf(Int32(_SC_PAGESIZE))
        let start = unsafe mapped.alignedUp(toMultipleOf: hugePageByteCount)
        let before = unsafe start - mapped
        let kept = (byteCount + pageSize - 1) / pageSize * pageSize
        if before > 0 { unsafe munmap(mapped, before) }
        if room > before + kept { unsafe munmap(start + kept, room - before - kept) }
        return unsafe start
    }

    /// Rounds a number of bytes up to whole huge pages.
    package static func wholeHugePages(_ byteCount: Int) -> Int {
        (byteCount + hugePageByteCount - 1) / hugePageByteCount * hugePageByteCount
    }
}
