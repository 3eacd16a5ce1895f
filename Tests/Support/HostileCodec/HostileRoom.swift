import CalotypeSupport

/// The room that a worker has for pixels, as code that has taken it over would find and use it.
enum HostileRoom {
    /// The one file that it has; its socket and pipes have no size.
    private static var file: Int32 { (6..<64).first { lseek($0, 0, SEEK_END) > 4_096 } ?? -1 }

    /// Writes to so many bytes of it from a place on.
    static func fill(_ byteCount: Int, at offset: Int = 0, keepsMapping: Bool = false) {
        let start = mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_SHARED, file, offset)
        guard let start, start != MAP_FAILED else { return }
        memset(start, 7, byteCount)
        if !keepsMapping { munmap(start, byteCount) }
    }
}
