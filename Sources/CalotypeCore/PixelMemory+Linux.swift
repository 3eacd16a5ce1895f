import CalotypeSupport
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
        case heap, map
    }

    private let origin: Origin

    /// From here on memory is mapped.
    private static let mappedByteCountMin = Atomic(4 << 20)
    private static let hugePageByteCount = 2 << 20

    /// Allocates bytes of arbitrary values, aligned to 64 bytes; `nil` where the system has none to give.
    package init?(byteCount: Int) {
        var start: UnsafeMutableRawPointer?
        if byteCount >= Self.mappedByteCountMin.load(ordering: .relaxed) {
            origin = .map
            unsafe start = Self.map(byteCount)
        } else {
            origin = .heap
            guard unsafe posix_memalign(&start, 64, max(1, byteCount)) == 0 else { return nil }
        }
        guard let start = unsafe start else { return nil }
        unsafe bytes = UnsafeMutableRawBufferPointer(start: start, count: byteCount)
    }

    /// Gives the memory back; to be called once.
    package func deallocate() {
        switch origin {
        case .heap: unsafe free(bytes.baseAddress)
        case .map: unsafe munmap(bytes.baseAddress, bytes.count)
        }
    }

    /// Has memory mapped from another size on, in all of the process: it then holds zeros, and nothing that
    /// the heap handed out before.
    package static func map(from byteCount: Int) {
        mappedByteCountMin.store(byteCount, ordering: .relaxed)
    }

    /// Makes all bytes zero.
    package func clear() {
        _ = unsafe bytes.initializeMemory(as: UInt8.self, repeating: 0)
    }

    /// Maps memory that begins with a huge page; `nil` where the system has none to give.
    ///
    /// Only whole huge pages are asked for, so that no more memory is taken than the buffer needs. Where the
    /// kernel has no huge pages, the advice has no effect.
    private static func map(_ byteCount: Int) -> UnsafeMutableRawPointer? {
        let room = byteCount + hugePageByteCount
        let mapped = unsafe mmap(nil, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let mapped = unsafe mapped, unsafe mapped != MAP_FAILED else { return nil }
        let pageSize = sysconf(Int32(_SC_PAGESIZE))
        let start = unsafe mapped.alignedUp(toMultipleOf: hugePageByteCount)
        let before = unsafe start - mapped
        let kept = (byteCount + pageSize - 1) / pageSize * pageSize
        if before > 0 { unsafe munmap(mapped, before) }
        if room > before + kept { unsafe munmap(start + kept, room - before - kept) }
        unsafe madvise(start, byteCount / hugePageByteCount * hugePageByteCount, Int32(MADV_HUGEPAGE))
        return unsafe start
    }
}
