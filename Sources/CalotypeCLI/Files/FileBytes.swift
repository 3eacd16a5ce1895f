import CalotypeCore
import CalotypeLoading
import CalotypeSupport
import Foundation

/// Reads a named input: a file, a pipe, or `-` for standard input.
enum FileBytes {
    private static let loader = FileDataLoader()
    private static let pool = BlockingPool(width: BlockingPool.coreCount)

    /// Returns all bytes; reads on threads that may block.
    ///
    /// - Throws: ``CalotypeLoading/FetchError``, also if there are more bytes than the limits allow.
    static func read(_ path: String, limits: DecodeLimits = DecodeLimits()) async throws -> Data {
        if path == "-" {
            return try await stream(limits) { OpenStream(STDIN_FILENO, "standard input", isOwn: false) }
        }
        let isPipe = await pool.run { isStream(at: path) }
        if isPipe {
            return try await stream(limits) { () throws(FetchError) in try OpenStream(opening: path) }
        }
        guard let url = PathBytes.fileURL(path) else {
            throw FetchError(.fileNotReadable, detail: "“\(path)” is not a path")
        }
        let request = FetchRequest(url: url, maxByteCount: limits.maxByteCount)
        return try await loader.response(for: request).collected()
    }

    /// Whether a path is a pipe or a device, such as `/dev/stdin` or a shell's `<(command)`.
    private static func isStream(at path: String) -> Bool {
        var status = stat()
        guard path.withPathBytes({ stat($0, &status) }) == 0 else { return false }
        return [S_IFIFO, S_IFCHR, S_IFSOCK].contains(status.st_mode & S_IFMT)
    }

    private static func stream(
        _ limits: DecodeLimits,
        _ open: @escaping @Sendable () throws(FetchError) -> OpenStream
    ) async throws -> Data {
        try await pool.run { () throws(FetchError) in try open().read(maxByteCount: limits.maxByteCount) }
    }
}

/// A stream that is open for reading; its calls block.
private struct OpenStream {
    private static let pieceByteCount = 1 << 16

    private let descriptor: Int32
    private let name: String
    private let isOwn: Bool

    init(_ descriptor: Int32, _ name: String, isOwn: Bool) {
        (self.descriptor, self.name, self.isOwn) = (descriptor, name, isOwn)
    }

    init(opening path: String) throws(FetchError) {
        self.init(path.withPathBytes { open($0, O_RDONLY | O_CLOEXEC) }, path, isOwn: true)
        guard descriptor >= 0 else {
            throw FetchError(.fileNotReadable, detail: "“\(path)”: \(SystemError.text(errno))")
        }
    }

    func read(maxByteCount: Int) throws(FetchError) -> Data {
        defer { if isOwn { close(descriptor) } }
        var data = Data()
        var piece = [UInt8](repeating: 0, count: Self.pieceByteCount)
        while true {
            let (count, error) = piece.withUnsafeMutableBytes { OpenDescriptor.read(descriptor, into: $0) }
            if let error {
                throw FetchError(.fileNotReadable, detail: "\(name): \(SystemError.text(error))")
            }
            if count == 0 { return data }
            data += piece.prefix(count)
            guard data.count <= maxByteCount else {
                throw FetchError(.bodyTooLarge, detail: "more than \(maxByteCount) bytes")
            }
        }
    }
}
