import CSandbox
package import CalotypeCore
package import CalotypeSupport

/// Shared memory where a worker creates pixels for the program to adopt; uses no memory until written to.
package struct WorkerArena {
    package let file: Descriptor
    private let byteCount: Int

    /// Returns `nil` if the system has no memory for it.
    package init?(maxByteCount: Int) {
        byteCount = PixelMemory.wholeHugePages(maxByteCount)
        guard let file = Descriptor(calotype_sandbox_memory(byteCount)) else { return nil }
        self.file = file
    }

    /// The memory in use there in bytes, mapped by the worker or not.
    package var heldByteCount: Int { Int(max(0, calotype_sandbox_held(file.number))) }

    /// Seals the memory and returns the pixels in it; the worker cannot change them afterwards.
    ///
    /// - Throws: ``JobFailure`` if the memory cannot be sealed, or the pixels are not as announced.
    package func pixels(at offset: Int, byteCount: Int) throws(JobFailure) -> PixelBuffer {
        let room = PixelMemory.wholeHugePages(byteCount)
        let isInside = offset >= 0 && offset <= self.byteCount - room
        try check(isInside && PixelMemory.wholeHugePages(offset) == offset, "pixels outside shared memory")
        try check(calotype_sandbox_seal(file.number) != 0, "pixels that are still writable")
        try check(heldByteCount <= room, "pixels that use more memory than needed")
        guard let memory = PixelMemory(mapping: file, at: offset, byteCount: byteCount) else {
            throw .unavailable("not enough address space for \(byteCount) bytes of pixels")
        }
        return PixelBuffer(adopting: memory)
    }
}
