package import CalotypeSupport
import Synchronization

/// Memory for pixels: large pieces come from the system in huge pages, since to fault in a fresh buffer of
/// 40 MB by pages of 4 KiB takes about as long as to decode a photograph into it.
///
/// A file may ask for more than there is: that there is none is an answer here, not the end of the process.
@safe package struct PixelMemory {
    /// What was asked for.
    package let bytes: UnsafeMutableRawBufferPointer

    /// Where the memory came from, and goes back to.
    private enum Origin {
        case heap
        /// So many bytes are mapped.
        case map(Int)
        case room(PixelRoom, offset: Int, HugePages)
        case kept(KeptMemory)
    }

    private let origin: Origin

    /// From here on memory is mapped.
    private static let mappedByteCountMin = Atomic(4 << 20)
    static let hugePageByteCount = 2 << 20
    /// Of `madvise`: has pages before they are written to (Linux 5.14).
    private static let populate: Int32 = 23

    /// Allocates bytes of arbitrary values, aligned to 64 bytes; `nil` where the system has none to give.
    package init?(byteCount: Int) {
        var start: UnsafeMutableRawPointer?
        if byteCount >= Self.mappedByteCountMin.load(ordering: .relaxed) {
            origin = .map(byteCount)
            unsafe start = Self.map(byteCount)
        } else {
            origin = .heap
            guard unsafe posix_memalign(&start, 64, max(1, byteCount)) == 0 else { return nil }
        }
        guard let start = unsafe start else { return nil }
        unsafe bytes = UnsafeMutableRawBufferPointer(start: start, count: byteCount)
    }

    /// What a ``PixelRoom`` gives.
    init(
        _ bytes: UnsafeMutableRawBufferPointer,
        of pages: HugePages,
        in room: PixelRoom,
        at offset: Int
    ) {
        unsafe self.bytes = bytes
        origin = .room(room, offset: offset, pages)
    }

    /// What a ``KeptMemory`` gives.
    init(_ bytes: UnsafeMutableRawBufferPointer, in kept: KeptMemory) {
        unsafe self.bytes = bytes
        origin = .kept(kept)
    }

    /// Maps what another process has made in its ``PixelRoom``; `nil` where the system has no room for it.
    ///
    /// To be read only: to write there ends the process.
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

    /// Leaves the memory to the process that has given its ``PixelRoom``; then it can be read only.
    ///
    /// - Returns: Where it lies in there; `nil` where it is not left.
    func handOver() -> Int? {
        guard case .room(let room, let offset, let pages) = origin else { return nil }
        pages.stop()
        return unsafe room.handOver(bytes, at: offset) ? offset : nil
    }

    /// Gives the memory back; to be called once.
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

    /// Has memory mapped from another size on, in all of the process: it then holds zeros, and nothing that
    /// the heap handed out before.
    package static func map(from byteCount: Int) {
        mappedByteCountMin.store(byteCount, ordering: .relaxed)
    }

    /// Gives bytes from the heap, which may be those of another image, one value; all other memory holds
    /// zeros when it is handed out.
    func clearIfReused(with value: UInt8) {
        guard case .heap = origin else { return }
        _ = unsafe bytes.initializeMemory(as: UInt8.self, repeating: value)
    }

    /// Makes all bytes zero.
    package func clear() {
        _ = unsafe bytes.initializeMemory(as: UInt8.self, repeating: 0)
    }

    /// Maps memory that begins with a huge page; `nil` where the system has none to give.
    ///
    /// Only whole huge pages are asked for, so that no more memory is taken than the buffer needs; the pages
    /// of the rest come together. Where the kernel has no such thing, the advice has no effect.
    private static func map(_ byteCount: Int) -> UnsafeMutableRawPointer? {
        guard let start = unsafe reserve(byteCount) else { return nil }
        let huge = byteCount / hugePageByteCount * hugePageByteCount
        unsafe madvise(start, huge, Int32(MADV_HUGEPAGE))
        if huge < byteCount { unsafe madvise(start + huge, byteCount - huge, populate) }
        return unsafe start
    }

    /// Address space that begins with a huge page, of zeros; `nil` where the system has none to give.
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

    /// The bytes of so many huge pages as hold some.
    package static func wholeHugePages(_ byteCount: Int) -> Int {
        (byteCount + hugePageByteCount - 1) / hugePageByteCount * hugePageByteCount
    }
}
