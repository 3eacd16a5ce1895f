internal import CThreadCalls

/// The heap of the C library.
package enum Heap {
    /// Returns what the heap holds and does not use to the system (`malloc_trim(3)`); takes milliseconds.
    package static func trim() { calotype_heap_trim() }

    /// From now on gives blocks of at least so many bytes back to the system as soon as they are freed.
    ///
    /// glibc raises that limit by itself, up to 32 MiB, with each large block that is freed
    /// (`M_MMAP_THRESHOLD` of `mallopt(3)`): a program that holds pictures of megabytes for moments then
    /// keeps what lies between smaller blocks, and grows for as long as it runs. For programs, not for
    /// libraries: it counts for all of the process. Nothing where the C library is another.
    package static func returnBlocks(ofAtLeast byteCount: Int) {
        calotype_heap_return_blocks(CInt(clamping: byteCount))
    }
}
