import CalotypeSupport

/// A worker's shared pixel memory, found and used as by code that controls the worker.
enum HostileRoom {
    /// The only file; the socket and the pipes have no size.
    private static var file: Int32 { (6..<64).first { lseek($0, 0, SEEK_END) > 4_096 } ?? -1 }

    /// Writes `byteCount` bytes at an offset.
    static func fill(_ byteCount: Int, at offset: Int = 0, keepsMapping: Bool = false) {
        let start = mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_SHARED, file, offset)
        guard let start, start != MAP_FAILED else { return }
        memset(start, 7, byteCount)
        if !keepsMapping { munmap(start, byteCount) }
    }
}
