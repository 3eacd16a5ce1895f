import Glibc

/// Memory for pixels: large pieces come from the system in huge pages, since to fault in a fresh buffer of
/// 40 MB by pages of 4 KiB takes about as long as to decode a photograph into it.
@safe struct PixelMemory {
    /// What was asked for.
    let bytes: UnsafeMutableRawBufferPointer

    /// Whether it came from `mmap`, and goes back there.
    private let isMapped: Bool

    /// From here on memory is mapped.
    private static let mappedByteCountMin = 4 << 20
    private static let hugePageByteCount = 2 << 20

    /// Allocates bytes of arbitrary values, aligned to 64 bytes.
    init(byteCount: Int) {
        if byteCount >= Self.mappedByteCountMin, let mapped = unsafe Self.map(byteCount) {
            unsafe bytes = UnsafeMutableRawBufferPointer(start: mapped, count: byteCount)
            isMapped = true
        } else {
            let room = UnsafeMutableRawBufferPointer.allocate(
                byteCount: max(1, byteCount),
                alignment: 64
            )
            unsafe bytes = UnsafeMutableRawBufferPointer(rebasing: room.prefix(byteCount))
            isMapped = false
        }
    }

    /// Gives the memory back; to be called once.
    func deallocate() {
        if isMapped {
            unsafe munmap(bytes.baseAddress, bytes.count)
        } else {
            unsafe bytes.baseAddress?.deallocate()
        }
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
