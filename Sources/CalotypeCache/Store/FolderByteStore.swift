import CalotypeCore
import CalotypeSupport
public import FoundationEssentials

/// A read-only store over existing files, such as those bundled with a program.
///
/// The files are plain: no record, no expiry, and no check except that each is read whole. Symbolic links are
/// followed, since the client provides the paths. Anything but a regular file is skipped. Writing and
/// removing throw ``DiskCacheError/Code/readOnly``; `close()` has no effect.
public final class FolderByteStore: ByteStore {
    /// The name for logs and results.
    public let name: String
    /// Whether writes can succeed: always `false`.
    public var isWritable: Bool { false }

    private let paths: @Sendable (String) -> [String]
    private let fileSystem: any FileSystem
    private let pool = BlockingPool(width: 4)

    /// Creates a store over files located by a closure.
    ///
    /// - Parameters:
    ///   - name: The name for logs and results; `bundle` by default.
    ///   - path: Returns the file for a key, or `nil`; called for each read, on the caller's thread.
    public convenience init(name: String = "bundle", path: @escaping @Sendable (String) -> String?) {
        self.init(name: name, fileSystem: PosixFileSystem()) { key in path(key).map { [$0] } ?? [] }
    }

    /// Creates a store with several candidate paths per key, of which the first existing file is used.
    package init(name: String, fileSystem: any FileSystem, paths: @escaping @Sendable (String) -> [String]) {
        self.name = name
        self.fileSystem = fileSystem
        self.paths = paths
    }

    /// Returns the whole file of a key, with its modification date; `nil` if the file does not exist.
    ///
    /// - Throws: ``DiskCacheError`` if the file exists and cannot be read.
    public func blob(forKey key: String) async throws(DiskCacheError) -> Blob? {
        try await firstFile(forKey: key) { fileSystem, path throws(FileError) in
            try fileSystem.readWhole(path)
        }
    }

    /// Returns whether a key's file exists.
    ///
    /// - Throws: ``DiskCacheError`` if the file cannot be inspected.
    public func contains(_ key: String) async throws(DiskCacheError) -> Bool {
        let status = try await firstFile(forKey: key) { fileSystem, path throws(FileError) in
            try fileSystem.withFile(path) { _, status in status }
        }
        return status != nil
    }

    /// Returns the date and the size of a key's file; `nil` if the file does not exist.
    ///
    /// - Throws: ``DiskCacheError`` if the file cannot be inspected.
    public func blobInfo(forKey key: String) async throws(DiskCacheError) -> BlobInfo? {
        try await firstFile(forKey: key) { fileSystem, path throws(FileError) in
            try fileSystem.withFile(path) { _, status in
                BlobInfo(byteCount: status.byteCount, writtenAt: status.writtenAt)
            }
        }
    }

    private func firstFile<Value: Sendable>(
        forKey key: String,
        _ read: @escaping @Sendable (any FileSystem, String) throws(FileError) -> Value?
    ) async throws(DiskCacheError) -> Value? {
        let paths = paths(key)
        guard !paths.isEmpty else { return nil }
        return try await pool.run { [fileSystem] () throws(DiskCacheError) in
            for path in paths {
                do throws(FileError) {
                    if let value = try read(fileSystem, path) { return value }
                } catch  where error.leavesNothingThere || error.errorNumber == ENXIO {
                    // Missing, or a socket.
                    continue
                } catch {
                    throw DiskCacheError(error, path: path)
                }
            }
            return nil
        }
    }
}

/// Operations that a read-only store refuses or ignores.
extension FolderByteStore {
    /// Throws, since the store is read-only.
    ///
    /// - Throws: ``DiskCacheError/Code/readOnly``, always.
    public func store(_ data: Data, forKey key: String, options: BlobOptions) async throws(DiskCacheError) {
        throw refusal
    }

    /// Throws, since the store is read-only.
    ///
    /// - Throws: ``DiskCacheError/Code/readOnly``, always.
    @discardableResult
    public func removeBlob(forKey key: String) async throws(DiskCacheError) -> Bool { throw refusal }

    /// Throws, since the store is read-only.
    ///
    /// - Throws: ``DiskCacheError/Code/readOnly``, always.
    @discardableResult
    public func removeAll() async throws(DiskCacheError) -> StoreUsage { throw refusal }

    /// Throws, since the store is read-only.
    ///
    /// - Throws: ``DiskCacheError/Code/readOnly``, always.
    @discardableResult
    public func removeBlobs(
        where isRemoved: @escaping @Sendable (String) -> Bool
    ) async throws(DiskCacheError) -> Int { throw refusal }

    /// Does nothing: files here do not expire.
    @discardableResult
    public func removeExpired() async -> StoreUsage { StoreUsage() }

    /// Returns zero: the files are not counted.
    public func usage() async -> StoreUsage { StoreUsage() }

    /// Does nothing.
    public func close() async {}

    private var refusal: DiskCacheError {
        DiskCacheError(
            .readOnly,
            detail: "the store \(name) is read-only; add a writable store before it"
        )
    }
}

extension FileSystem {
    /// Opens the regular file at a path; returns `nil` if it is not one, or longer than an entry can be.
    fileprivate func withFile<Value>(
        _ path: String,
        _ body: (FileDescriptor, FileStatus) throws(FileError) -> Value?
    ) throws(FileError) -> Value? {
        let file = try open(path, as: .readThroughLinks)
        defer { closeAfterFailure(file) }
        let status = try status(of: file)
        guard status.kind == .file, status.byteCount <= EntryRecord.maxFileByteCount else { return nil }
        return try body(file, status)
    }

    /// Reads a whole regular file; returns `nil` if it is not one.
    fileprivate func readWhole(_ path: String) throws(FileError) -> Blob? {
        try withFile(path) { file, status throws(FileError) in
            var data = Data(count: status.byteCount)
            let result = unsafe data.withUnsafeMutableBytes { bytes in
                Result { () throws(FileError) in try unsafe read(file, into: bytes, at: 0) }
            }
            guard try result.get() == status.byteCount else { return nil }
            return Blob(data: data, writtenAt: status.writtenAt)
        }
    }
}
