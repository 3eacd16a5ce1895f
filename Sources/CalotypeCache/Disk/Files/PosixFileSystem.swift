import CFileCalls
package import CalotypeCore
import CalotypeSupport

package struct PosixFileSystem: FileSystem {
    package init() {}

    package var userID: UInt32 { geteuid() }

    package func open(_ path: String, as mode: FileOpenMode) throws(FileError) -> FileDescriptor {
        let common = mode == .readThroughLinks ? O_CLOEXEC : O_CLOEXEC | O_NOFOLLOW
        let descriptor: Int32
        switch mode {
        case .read, .readThroughLinks:
            descriptor = openToRead { flags in unsafe Glibc.open(path, common | flags) }
        case .cachedRead:
            // Passing the string itself would copy it.
            descriptor = unsafe path.withCString { path in
                openToRead { flags in unsafe calotype_open_cached(path, common | flags) }
            }
            guard descriptor >= 0 else { throw cachedFailure("openat2", path) }
        case .create:
            descriptor = retrying { unsafe Glibc.open(path, common | O_WRONLY | O_CREAT | O_EXCL, 0o600) }
        case .folder:
            descriptor = retrying { unsafe Glibc.open(path, common | O_RDONLY | O_DIRECTORY) }
        }
        guard descriptor >= 0 else { throw failure("open", path) }
        return FileDescriptor(rawValue: descriptor)
    }

    /// Only the owner may pass `O_NOATIME`; for others, opens again without it.
    private func openToRead(_ open: (_ flags: Int32) -> Int32) -> Int32 {
        let flags = O_RDONLY | O_NONBLOCK
        let attempt = retrying { open(flags | calotype_o_noatime()) }
        return attempt == -1 && errno == EPERM ? retrying { open(flags) } : attempt
    }

    package func close(_ file: FileDescriptor) throws(FileError) {
        // Linux closes the descriptor even if it reports an interruption.
        guard Glibc.close(file.rawValue) == 0 || errno == EINTR else { throw failure("close") }
    }

    package func status(of file: FileDescriptor) throws(FileError) -> FileStatus {
        var status = stat()
        guard retrying({ unsafe fstat(file.rawValue, &status) }) == 0 else { throw failure("fstat") }
        return FileStatus(status)
    }

    package func status(at path: String) throws(FileError) -> FileStatus {
        var status = stat()
        guard retrying({ unsafe lstat(path, &status) }) == 0 else { throw failure("stat", path) }
        return FileStatus(status)
    }

    package func linkTarget(at path: String) throws(FileError) -> String {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = retrying { unsafe readlink(path, &bytes, bytes.count) }
        guard count >= 0 else { throw failure("readlink", path) }
        return String(decoding: bytes.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    package func synchronize(_ file: FileDescriptor) throws(FileError) {
        guard retrying({ fsync(file.rawValue) }) == 0 else { throw failure("fsync") }
    }

    package func setTimes(
        of file: FileDescriptor,
        accessedAt: Timestamp,
        writtenAt: Timestamp
    ) throws(FileError) {
        let times = [timespec(accessedAt), timespec(writtenAt)]
        guard retrying({ unsafe futimens(file.rawValue, times) }) == 0 else { throw failure("futimens") }
    }

    package func setAccessTime(at path: String, to time: Timestamp) throws(FileError) {
        let times = [timespec(time), timespec(tv_sec: 0, tv_nsec: calotype_utime_omit())]
        let status = retrying { unsafe utimensat(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW) }
        guard status == 0 else { throw failure("utimensat", path) }
    }

    package func setOwner(of file: FileDescriptor, to owner: FileOwner) throws(FileError) {
        guard retrying({ fchown(file.rawValue, owner.user, owner.group) }) == 0 else {
            throw failure("fchown")
        }
    }

    package func tryLock(_ file: FileDescriptor) throws(FileError) -> Bool {
        if retrying({ flock(file.rawValue, LOCK_EX | LOCK_NB) }) == 0 { return true }
        guard errno == EWOULDBLOCK else { throw failure("flock") }
        return false
    }

    package func rename(_ path: String, to newPath: String) throws(FileError) {
        guard retrying({ unsafe Glibc.rename(path, newPath) }) == 0 else { throw failure("rename", newPath) }
    }

    package func link(_ path: String, to newPath: String) throws(FileError) {
        guard retrying({ unsafe Glibc.link(path, newPath) }) == 0 else { throw failure("link", newPath) }
    }

    package func removeFile(_ path: String) throws(FileError) {
        guard retrying({ unsafe unlink(path) }) == 0 else { throw failure("unlink", path) }
    }

    package func removeFolder(_ path: String) throws(FileError) {
        guard retrying({ unsafe rmdir(path) }) == 0 else { throw failure("rmdir", path) }
    }

    package func makeFolder(_ path: String) throws(FileError) {
        guard retrying({ unsafe mkdir(path, 0o700) }) == 0 else { throw failure("mkdir", path) }
    }

    package func freeByteCount(at path: String) throws(FileError) -> Int {
        let folder = try open(path, as: .folder)
        defer { _ = Glibc.close(folder.rawValue) }
        var status = statvfs()
        guard retrying({ unsafe fstatvfs(folder.rawValue, &status) }) == 0 else {
            throw failure("statvfs", path)
        }
        let (product, overflow) = Int(clamping: status.f_bavail)
            .multipliedReportingOverflow(by: Int(clamping: status.f_frsize))
        return overflow ? .max : product
    }
}

/// Returns the error of the call that has just failed.
func failure(_ operation: String, _ path: String = "") -> FileError {
    FileError(operation, path: path, errorNumber: errno)
}

/// Returns the error of a page cache call that has just failed.
///
/// Old kernels lack the call or its flag, and sandboxes forbid it; all of these are `EOPNOTSUPP` here.
func cachedFailure(_ operation: String, _ path: String = "") -> FileError {
    let error = failure(operation, path)
    let isUnknown = [ENOSYS, EINVAL, E2BIG, EPERM].contains(error.errorNumber)
    return isUnknown ? FileError(operation, path: path, errorNumber: EOPNOTSUPP) : error
}

/// Repeats a call while a signal interrupts it.
func retrying<Value: FixedWidthInteger & SignedInteger>(_ call: () -> Value) -> Value {
    while true {
        let value = call()
        guard value == -1, errno == EINTR else { return value }
    }
}

extension FileStatus {
    init(_ status: stat) {
        let kind: Kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .folder
            default: .other
            }
        self.init(
            kind: kind,
            byteCount: Int(status.st_size),
            inode: UInt64(status.st_ino),
            accessedAt: Timestamp(status.st_atim),
            writtenAt: Timestamp(status.st_mtim),
            owner: FileOwner(user: status.st_uid, group: status.st_gid)
        )
        linkCount = Int(status.st_nlink)
        device = UInt64(status.st_dev)
        permissions = status.st_mode & 0o7777
    }
}

extension Timestamp {
    /// A file's date, clamped to the range of the type.
    init(_ time: timespec) {
        let (product, overflow) = Int64(time.tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, sumOverflow) = product.addingReportingOverflow(Int64(time.tv_nsec))
        let limit: Int64 = time.tv_sec < 0 ? .min : .max
        self.init(nanosecondsSince1970: overflow || sumOverflow ? limit : sum)
    }
}

extension timespec {
    init(_ time: Timestamp) {
        let (seconds, rest) = time.nanosecondsSince1970.quotientAndRemainder(dividingBy: 1_000_000_000)
        self.init(
            tv_sec: Int(rest < 0 ? seconds - 1 : seconds),
            tv_nsec: Int(rest < 0 ? rest + 1_000_000_000 : rest)
        )
    }
}
