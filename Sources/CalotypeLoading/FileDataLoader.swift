package import CalotypeSupport
public import FoundationEssentials

/// Reads files of this machine: those of `file:` URLs.
///
/// A URL without a scheme is a path to it; a router knows no loader for it, and refuses it.
///
/// Only regular files are read: a folder, a pipe or a device is refused before a byte is read. A file of at
/// most 256 KiB is read at once, a larger one in chunks of that size as its reader wants them, on threads of
/// their own. At most 32 files are open at once; others wait for them in the order of their priority. A file
/// that does not come, as on a server that is gone, is given up after 30 s; its thread is replaced, and once
/// four are held so, further files of the same folders fail at once.
public struct FileDataLoader: DataLoader {
    private static let chunkByteCount = 256 << 10
    private static let openCountMax = 32

    private let reads: FileReads
    private let root: FilePath?
    private let gate: AdmissionGate

    /// False: it adds no credentials of its own.
    public var hasCacheIdentity: Bool { false }

    /// Creates a loader that reads on at most four threads, any file that the process may read.
    public init() {
        self.init(pool: BlockingPool(width: 4))
    }

    /// Creates a loader of the files below a folder, and of no others: the system opens them beneath it
    /// (`openat2` with `RESOLVE_BENEATH`), so that neither `..` nor a symbolic link leads out.
    ///
    /// - Parameter root: The folder's `file:` URL.
    /// - Throws: ``FetchError/Code/invalidURL`` where it is none, or not absolute.
    public init(root: URL) throws {
        let path = try FilePath(root)
        guard root.scheme != nil, path.bytes.first == UInt8(ascii: "/") else {
            throw FetchError(
                .invalidURL,
                detail: "the root of files is a file: URL, such as file:///srv/pictures"
            )
        }
        self.init(pool: BlockingPool(width: 4), root: path)
    }

    /// Creates a loader that reads on the given threads.
    ///
    /// - Parameters:
    ///   - pool: The threads.
    ///   - timeout: How long opening, or a read, may take.
    ///   - root: The folder beneath which all files are; anywhere where it is `nil`.
    package init(pool: BlockingPool, timeout: Duration = .seconds(30), root: FilePath? = nil) {
        self.root = root
        reads = FileReads(pool: pool, timeout: timeout)
        gate = AdmissionGate(countMax: Self.openCountMax)
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
            guard file.byteCount < min(Self.chunkByteCount, request.byteCountMax) else { return (file, nil) }
            // One byte more than there should be tells whether the file has grown.
            let bytes = try file.read(file.byteCount + 1)
            file.close()
            return (file, bytes)
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
            body: start.map { FetchBody($0) } ?? Self.body(of: file, path, tally, permit, by: reads)
        )
    }

    private static func body(
        of file: ReadableFile,
        _ path: FilePath,
        _ start: BodyTally,
        _ permit: AdmissionGate.Permit,
        by reads: FileReads
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
                let chunk = try await reads.run(path.folder) { try file.read(wanted) }
                isAtEnd = chunk.count < wanted
                try tally.add(chunk.count)
                if isAtEnd {
                    file.close()
                    permit.end()
                    try tally.finish()
                }
                return chunk.isEmpty ? nil : chunk
            }
        }
    }
}
