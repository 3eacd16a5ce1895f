package import CalotypeSupport
public import FoundationEssentials

/// A loader of local files: those of `file:` URLs.
///
/// A URL without a scheme is treated as a path; a router has no loader for it, and refuses it.
///
/// Only regular files are read: a folder, a pipe or a device is refused before any byte is read. A file of at
/// most 256 KiB is read at once, a larger one in chunks of that size as its reader requests them, on the
/// loader's own threads. At most 32 files are open at once; others wait in the order of their priority. A
/// read that does not finish, as on an unreachable server, fails after 30 s, and its thread is replaced. Once
/// four threads are stuck in one folder, further files of that folder fail at once.
public struct FileDataLoader: DataLoader {
    private static let chunkByteCount = 256 << 10
    private static let maxOpenCount = 32

    private let reads: FileReads
    private let root: FilePath?
    private let gate: AdmissionGate

    /// Whether the loader adds credentials: false.
    public var hasCacheIdentity: Bool { false }

    /// Creates a loader of any file that the process may read, with at most four threads.
    public init() {
        self.init(pool: BlockingPool(width: 4))
    }

    /// Creates a loader of the files below a folder only: the system opens them beneath it (`openat2` with
    /// `RESOLVE_BENEATH`), so that neither `..` nor a symbolic link leads outside.
    ///
    /// - Parameter root: The folder's `file:` URL.
    /// - Throws: ``FetchError/Code/invalidURL`` if it is not a `file:` URL, or not absolute.
    public init(root: URL) throws {
        let path = try FilePath(root)
        guard root.scheme != nil, path.bytes.first == UInt8(ascii: "/") else {
            throw FetchError(
                .invalidURL,
                detail: "root: must be an absolute file: URL, such as file:///srv/pictures"
            )
        }
        self.init(pool: BlockingPool(width: 4), root: path)
    }

    /// Creates a loader that reads on the given threads.
    ///
    /// - Parameters:
    ///   - pool: The threads.
    ///   - timeout: The most time for opening, or for a read.
    ///   - root: The folder that all files must be beneath; `nil` for no restriction.
    package init(pool: BlockingPool, timeout: Duration = .seconds(30), root: FilePath? = nil) {
        self.root = root
        reads = FileReads(pool: pool, timeout: timeout)
        gate = AdmissionGate(maxCount: Self.maxOpenCount)
    }

    /// Opens the file.
    ///
    /// - Throws: ``FetchError/Code/fileNotFound``, ``FetchError/Code/fileNotReadable``,
    ///   ``FetchError/Code/bodyTooLarge``, ``FetchError/Code/invalidURL``,
    ///   ``FetchError/Code/unsupportedScheme``, or `CancellationError`.
    public func response(for request: FetchRequest) async throws -> FetchResponse {
        try Task.checkCancellation()
        let path = try FilePath(request.url)
        let permit = try await gate.enter(request.priority)
        let (file, start) = try await reads.run(path.folder) { [root] () throws -> (ReadableFile, Data?) in
            let file = try ReadableFile(path, beneath: root)
            guard file.byteCount < min(Self.chunkByteCount, request.maxByteCount) else { return (file, nil) }
            // One byte more than expected shows whether the file has grown.
            let bytes = try file.read(file.byteCount + 1)
            file.close()
            return (file, bytes)
        }
        var bodyLimit = try BodyLimit(maxByteCount: request.maxByteCount, expectedByteCount: file.byteCount)
        if let start {
            try bodyLimit.add(start.count)
            try bodyLimit.finish()
        }
        return FetchResponse(
            origin: .file,
            url: request.url,
            expectedByteCount: file.byteCount,
            body: start.map { FetchBody($0) } ?? Self.body(of: file, path, bodyLimit, permit, by: reads)
        )
    }

    private static func body(
        of file: ReadableFile,
        _ path: FilePath,
        _ start: BodyLimit,
        _ permit: AdmissionGate.Permit,
        by reads: FileReads
    ) -> FetchBody {
        FetchBody {
            var bodyLimit = start
            var isAtEnd = false
            return FetchBody.Iterator {
                try Task.checkCancellation()
                if isAtEnd { return nil }
                // One byte more than is left shows whether the file has grown. A chunk that is not full is
                // the last, so that a small file takes one trip to the pool.
                let wanted = Swift.min(chunkByteCount, file.byteCount - bodyLimit.byteCount + 1)
                let chunk = try await reads.run(path.folder) { try file.read(wanted) }
                isAtEnd = chunk.count < wanted
                try bodyLimit.add(chunk.count)
                if isAtEnd {
                    file.close()
                    permit.end()
                    try bodyLimit.finish()
                }
                return chunk.isEmpty ? nil : chunk
            }
        }
    }
}
