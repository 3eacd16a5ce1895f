import CFileCalls
import CalotypeSupport

extension PosixFileSystem {
    package func read(
        _ file: FileDescriptor,
        into buffer: UnsafeMutableRawBufferPointer,
        at offset: Int
    ) throws(FileError) -> Int {
        let count = unsafe fill(buffer, at: offset) { address, byteCount, offset in
            unsafe pread(file.rawValue, address, byteCount, offset)
        }
        guard let count else { throw failure("read") }
        return count
    }

    package func readCached(
        _ file: FileDescriptor,
        into buffer: UnsafeMutableRawBufferPointer,
        at offset: Int
    ) throws(FileError) -> Int {
        let count = unsafe fill(buffer, at: offset) { address, byteCount, offset in
            unsafe calotype_read_cached(file.rawValue, address, byteCount, offset)
        }
        guard let count else { throw cachedFailure("preadv2") }
        return count
    }

    /// Calls `read` until the buffer is full or the file ends; returns `nil` if a call fails.
    private func fill(
        _ buffer: UnsafeMutableRawBufferPointer,
        at offset: Int,
        _ read: (_ address: UnsafeMutableRawPointer?, _ byteCount: Int, _ offset: Int) -> Int
    ) -> Int? {
        var filled = 0
        while filled < buffer.count {
            let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
            let count = retrying { unsafe read(rest.baseAddress, rest.count, offset + filled) }
            guard count >= 0 else { return nil }
            if count == 0 { break }
            filled += count
        }
        return filled
    }

    package func write(_ file: FileDescriptor, _ buffers: [UnsafeRawBufferPointer]) throws(FileError) {
        // `iovec` wants mutable addresses; `writev` only reads from them.
        var vectors = unsafe buffers.map {
            unsafe iovec(iov_base: UnsafeMutableRawPointer(mutating: $0.baseAddress), iov_len: $0.count)
        }
        var first = 0
        while true {
            while unsafe first < vectors.count, unsafe vectors[first].iov_len == 0 { first += 1 }
            guard unsafe first < vectors.count else { return }
            let count = unsafe vectors[first...].withUnsafeBufferPointer { rest in
                retrying { unsafe writev(file.rawValue, rest.baseAddress, Int32(min(rest.count, 1024))) }
            }
            guard count > 0 else {
                throw count == 0 ? FileError("write", errorNumber: EIO) : failure("write")
            }
            unsafe consume(count, of: &vectors, from: first)
        }
    }

    /// Advances the vectors past the bytes that have been written.
    private func consume(_ byteCount: Int, of vectors: inout [iovec], from first: Int) {
        var left = byteCount
        var index = first
        while left > 0 {
            let taken = unsafe min(left, vectors[index].iov_len)
            unsafe vectors[index].iov_base = unsafe vectors[index].iov_base?.advanced(by: taken)
            unsafe vectors[index].iov_len -= taken
            left -= taken
            index += 1
        }
    }

    package func copy(
        from source: FileDescriptor,
        to target: FileDescriptor,
        byteCount: Int
    ) throws(FileError) {
        var left = byteCount
        while left > 0 {
            let count = retrying { calotype_copy_file_range(source.rawValue, target.rawValue, left) }
            if count == -1, left == byteCount, [EXDEV, EINVAL, ENOSYS, EOPNOTSUPP].contains(errno) {
                return try copyThroughMemory(from: source, to: target, byteCount: byteCount)
            }
            guard count >= 0 else { throw failure("copy_file_range") }
            guard count > 0 else { throw FileError("copy_file_range", errorNumber: EIO) }
            left -= count
        }
    }

    /// For file systems that cannot copy within the kernel.
    private func copyThroughMemory(
        from source: FileDescriptor,
        to target: FileDescriptor,
        byteCount: Int
    ) throws(FileError) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: min(byteCount, 1 << 20), alignment: 16)
        defer { unsafe buffer.deallocate() }
        var copied = 0
        while copied < byteCount {
            let part = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(byteCount - copied))
            let count = try unsafe read(source, into: part, at: copied)
            guard count > 0 else { throw FileError("read", errorNumber: EIO) }
            try unsafe write(target, [UnsafeRawBufferPointer(rebasing: part.prefix(count))])
            copied += count
        }
    }

    package func list(_ path: String, _ body: (FolderItem) -> Void) throws(FileError) {
        let folder = try open(path, as: .folder)
        guard let stream = unsafe fdopendir(folder.rawValue) else {
            let error = failure("opendir", path)
            _ = Glibc.close(folder.rawValue)
            throw error
        }
        defer { unsafe closedir(stream) }
        while true {
            errno = 0
            guard let entry = unsafe readdir(stream) else {
                guard errno == 0 else { throw failure("readdir", path) }
                return
            }
            var status = stat()
            let (name, result) = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
                let name = unsafe UnsafeRawPointer(name).assumingMemoryBound(to: CChar.self)
                let result = retrying {
                    unsafe fstatat(folder.rawValue, name, &status, AT_SYMLINK_NOFOLLOW)
                }
                return (unsafe String(cString: name), result)
            }
            guard name != ".", name != ".." else { continue }
            if result == 0 {
                body(FolderItem(name: name, status: FileStatus(status)))
            } else if errno != ENOENT {
                throw failure("stat", path + "/" + name)
            }
        }
    }
}
