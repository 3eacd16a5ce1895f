internal import CThreadCalls

/// The heap of the C library.
package enum Heap {
    /// Returns unused heap memory to the system (`malloc_trim(3)`); takes milliseconds.
    package static func trim() { calotype_heap_trim() }

    /// Makes the heap return blocks of at least this size to the system as soon as they are freed.
    ///
    /// glibc raises that threshold by itself, up to 32 MiB, with each large block that is freed
    /// (`M_MMAP_THRESHOLD` of `mallopt(3)`). A program that holds images of megabytes for moments then
    /// retains the gaps between smaller blocks, and grows as long as it runs. For programs, not for
    /// libraries: the setting applies to the whole process. No effect with another C library.
    package static func returnBlocks(ofAtLeast byteCount: Int) {
        calotype_heap_return_blocks(CInt(clamping: byteCount))
    }
}
