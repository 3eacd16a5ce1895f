package import CalotypeSupport
import FoundationEssentials

/// Reads files of this machine: `file:` URLs, and URLs without a scheme, which are paths.
///
/// Only regular files are read: a folder, a pipe or a device is refused before a byte is read. A file of at
/// most 256 KiB is read at once, a larger one in chunks of that size as its reader wants them, on threads of
/// their own. At most 32 files are open at once; others wait for them in the order of their priority.
public struct FileDataLoader: DataLoader {
    private static let chunkByteCount = 256 << 10
    private static let openCountMax = 32

    private let pool: BlockingPool
    private let gate: FetchGate

    /// Creates a loader that reads on at most four threads.
    public init() {
        self.init(pool: BlockingPool(width: 4))
    }

    /// Creates a loader that reads on the given threads.
    package init(pool: BlockingPool) {
        self.pool = pool
        gate = FetchGate(
            FetchQueue(
                runningCountMax: Self.openCountMax,
                runningCountPerHostMax: Self.openCountMax,
                waitingCountMax: .max,
                order: .oldestFirst
            )
        )
    }

    /// Opens the file.
    ///
    /// - Throws: ``FetchError/Code/fileNotFound``, ``FetchError/Code/fileNotReadable``,
    ///   ``FetchError/Code/bodyTooLarge``, ``FetchError/Code/invalidURL``,
    ///   ``FetchError/Code/unsupportedScheme``, or `CancellationError`.
    public func response(for request: FetchRequest) async throws -> FetchResponse {
        try Task.checkCancellation()
        let path = try FilePath(request.url)
        let permit = try await gate.enter(host: "", request.priority)
        let (file, start) = try await pool.run { () throws(FetchError) in
            let file = try ReadableFile(path)
            let isSmall = file.byteCount < min(Self.chunkByteCount, request.byteCountMax)
            // One byte more than there should be tells whether the file has grown.
            return (file, isSmall ? try file.read(file.byteCount + 1) : nil)
        }
        var tally = try BodyTally(byteCountMax: request.byteCountMax, expectedByteCount: file.byteCount)
        if let start {
            try tally.add(start.count)
            try tally.finish()
        }
        return FetchResponse(
            origin: .file,
            url: request.url,
            expectedByteCount: file.byteCount,
            body: start.map { FetchBody($0) } ?? Self.body(of: file, tally, permit, on: pool)
        )
    }

    private static func body(
        of file: ReadableFile,
        _ start: BodyTally,
        _ permit: FetchGate.Permit,
        on pool: BlockingPool
    ) -> FetchBody {
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
                if isAtEnd {
                    permit.end()
                    try tally.finish()
                }
                return chunk.isEmpty ? nil : chunk
            }
        }
    }
}
