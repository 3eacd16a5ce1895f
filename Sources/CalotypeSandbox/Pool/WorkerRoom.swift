import CSandbox
package import CalotypeCore
package import CalotypeSupport

/// Memory that a worker makes pixels in, for the program to take over; it takes none until it is written to.
package struct WorkerRoom {
    package let file: Descriptor
    private let byteCount: Int

    /// `nil` where the system has none to give.
    package init?(byteCountMax: Int) {
        byteCount = PixelMemory.wholeHugePages(byteCountMax)
        guard let file = Descriptor(calotype_sandbox_memory(byteCount)) else { return nil }
        self.file = file
    }

    /// What the worker has there, also where it has not mapped it.
    package var heldByteCount: Int { Int(max(0, calotype_sandbox_held(file.number))) }

    /// What the worker has made there; nobody can change it any more.
    ///
    /// - Throws: ``JobFailure`` where it can still be changed, or is not what was told.
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
