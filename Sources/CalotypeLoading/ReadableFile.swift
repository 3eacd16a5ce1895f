import CalotypeSupport
import FoundationEssentials

/// A regular file, open for reading; closed with the last reference.
///
/// Its calls block.
final class ReadableFile: Sendable {
    /// The size when it was opened.
    let byteCount: Int

    /// `nil` once it is closed.
    private let descriptor: Guarded<CInt?>
    private let path: FilePath

    init(_ path: FilePath) throws(FetchError) {
        // O_NONBLOCK: opening a pipe must not wait for somebody to write to it.
        let descriptor = openForReading(path.bytes)
        guard descriptor >= 0 else { throw Self.failure(errno, path) }
        do throws(FetchError) {
            byteCount = try Self.byteCount(ofRegularFile: descriptor, path)
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

    /// Closes it before the last reference goes, which a thread may hold that has just read; nothing can be
    /// read after that.
    func close() {
        if let descriptor = descriptor.withLock({ $0.take() }) { Glibc.close(descriptor) }
    }

    /// The next bytes: `count` of them, fewer at the end of the file.
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

    private static func byteCount(ofRegularFile descriptor: CInt, _ path: FilePath) throws(FetchError) -> Int
    {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure(errno, path) }
        switch status.st_mode & S_IFMT {
        case S_IFREG:
            return Int(status.st_size)
        case S_IFDIR:
            throw FetchError(.fileNotReadable, detail: "“\(path.shown)” is a folder")
        default:
            throw FetchError(.fileNotReadable, detail: "“\(path.shown)” is not a regular file")
        }
    }

    private static func failure(_ number: CInt, _ path: FilePath) -> FetchError {
        switch number {
        case ENOENT, ENOTDIR:
            FetchError(.fileNotFound, detail: "there is no file “\(path.shown)”")
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

private func openForReading(_ path: [UInt8]) -> CInt {
    (path + [0]).withUnsafeBytes { bytes in
        guard let start = bytes.assumingMemoryBound(to: CChar.self).baseAddress else { return -1 }
        while true {
            let descriptor = open(start, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
            if descriptor >= 0 || errno != EINTR { return descriptor }
        }
    }
}
