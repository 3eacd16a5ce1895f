import CFileCalls
import CalotypeSupport
import FoundationEssentials

/// A regular file, open for reading; closed with the last reference.
///
/// Its methods block.
final class ReadableFile: Sendable {
    /// The size at the time of opening, in bytes.
    let byteCount: Int

    /// `nil` once it is closed.
    private let descriptor: Guarded<CInt?>
    private let path: FilePath

    /// Opens a file, beneath a folder if one is given.
    init(_ path: FilePath, beneath root: FilePath? = nil) throws(FetchError) {
        let descriptor = try Self.open(path, beneath: root)
        // Below a root, names come from clients: a name that cannot be one of its files is reported as not
        // found.
        guard descriptor >= 0 else {
            let isNone = root != nil && [ELOOP, ENAMETOOLONG, ENXIO].contains(errno)
            throw Self.failure(isNone ? ENOENT : errno, path)
        }
        do throws(FetchError) {
            let other: FetchError.Code = root == nil ? .fileNotReadable : .fileNotFound
            byteCount = try Self.byteCount(ofRegularFile: descriptor, path, else: other)
        } catch {
            Glibc.close(descriptor)
            throw error
        }
        self.descriptor = Guarded(descriptor)
        self.path = path
    }

    deinit {
        close()
    }

    /// Closes the file before the last reference is released, which a reading thread may hold; later reads
    /// fail.
    func close() {
        if let descriptor = descriptor.withLock({ $0.take() }) { Glibc.close(descriptor) }
    }

    /// Reads the next `count` bytes, fewer at the end of the file.
    func read(_ count: Int) throws(FetchError) -> Data {
        guard let descriptor = descriptor.withLock(\.self) else { throw Self.failure(EBADF, path) }
        var chunk = Data(count: count)
        var filled = 0
        while filled < count {
            let result = chunk.withUnsafeMutableBytes { bytes in
                Glibc.read(descriptor, bytes.baseAddress.map { $0 + filled }, count - filled)
            }
            if result == 0 { break }
            if result > 0 {
                filled += result
            } else if errno != EINTR {
                throw Self.failure(errno, path)
            }
        }
        return chunk.prefix(filled)
    }

    private static func byteCount(
        ofRegularFile descriptor: CInt,
        _ path: FilePath,
        else code: FetchError.Code
    ) throws(FetchError) -> Int {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure(errno, path) }
        switch status.st_mode & S_IFMT {
        case S_IFREG:
            return Int(status.st_size)
        case S_IFDIR:
            throw FetchError(code, detail: "“\(path.shown)” is a folder")
        default:
            throw FetchError(code, detail: "“\(path.shown)” is not a regular file")
        }
    }

    private static func open(_ path: FilePath, beneath root: FilePath?) throws(FetchError) -> CInt {
        guard let root else { return openForReading(path.bytes) }
        guard let rest = path.bytes(below: root) else {
            throw FetchError(.fileNotFound, detail: "no file “\(path.shown)” exists below the root")
        }
        let folder = openForReading(root.bytes, O_DIRECTORY)
        guard folder >= 0 else { throw failure(errno, root) }
        defer { Glibc.close(folder) }
        return openForReading(rest, beneath: folder)
    }

    private static func failure(_ number: CInt, _ path: FilePath) -> FetchError {
        switch number {
        case ENOENT, ENOTDIR, EXDEV:
            FetchError(.fileNotFound, detail: "the file “\(path.shown)” does not exist")
        case EMFILE, ENFILE, ENOMEM, EAGAIN:
            FetchError(
                .fileNotReadable,
                isRetryable: true,
                detail: "“\(path.shown)”: \(systemErrorText(number))"
            )
        default:
            FetchError(.fileNotReadable, detail: "“\(path.shown)”: \(systemErrorText(number))")
        }
    }
}

/// Opens a path, beneath an open folder if one is given.
private func openForReading(_ path: [UInt8], _ more: CInt = 0, beneath folder: CInt? = nil) -> CInt {
    // O_NONBLOCK: opening a pipe must not wait for a writer.
    let flags = O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY | more
    return (path + [0]).withUnsafeBytes { bytes in
        guard let start = bytes.assumingMemoryBound(to: CChar.self).baseAddress else { return -1 }
        while true {
            let descriptor = folder.map { calotype_open_beneath($0, start, flags) } ?? open(start, flags)
            if descriptor >= 0 || errno != EINTR { return descriptor }
        }
    }
}
