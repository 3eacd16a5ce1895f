package import CalotypeSupport
import FoundationEssentials

/// Reads files of this machine: `file:` URLs, and URLs without a scheme, which are paths.
///
/// Only regular files are read: a folder, a pipe or a device is refused before a byte is read. The file is
/// read in chunks of 256 KiB on threads of their own.
public struct FileDataLoader: DataLoader {
    private static let chunkByteCount = 256 << 10

    private let pool: BlockingPool

    /// Creates a loader that reads on at most four threads.
    public init() {
        self.init(pool: BlockingPool(width: 4))
    }

    /// Creates a loader that reads on the given threads.
    package init(pool: BlockingPool) {
        self.pool = pool
    }

    /// Opens the file.
    ///
    /// - Throws: ``FetchError/Code/fileNotFound``, ``FetchError/Code/fileNotReadable``,
    ///   ``FetchError/Code/bodyTooLarge``, ``FetchError/Code/invalidURL``,
    ///   ``FetchError/Code/unsupportedScheme``, or `CancellationError`.
    public func response(for request: FetchRequest) async throws -> FetchResponse {
        try Task.checkCancellation()
        let path = try FilePath(request.url)
        let file = try await pool.run { () throws(FetchError) in try ReadableFile(path) }
        let tally = try BodyTally(byteCountMax: request.byteCountMax, expectedByteCount: file.byteCount)
        return FetchResponse(
            origin: .file,
            url: request.url,
            expectedByteCount: file.byteCount,
            body: Self.body(of: file, tally, on: pool)
        )
    }

    private static func body(of file: ReadableFile, _ start: BodyTally, on pool: BlockingPool) -> FetchBody {
        FetchBody {
            var tally = start
            var isAtEnd = false
            return FetchBody.Iterator {
                try Task.checkCancellation()
                if isAtEnd { return nil }
                // One byte more than is left tells whether the file has grown; a chunk that does not come
                // full is the last, so that a small file takes one trip to the pool.
                let wanted = Swift.min(chunkByteCount, file.byteCount - tally.byteCount + 1)
                let chunk = try await pool.run { () throws(FetchError) in try file.read(wanted) }
                isAtEnd = chunk.count < wanted
                try tally.add(chunk.count)
                if isAtEnd { try tally.finish() }
                return chunk.isEmpty ? nil : chunk
            }
        }
    }
}
