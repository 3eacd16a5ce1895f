import CalotypeCore
import CalotypeSupport
public import FoundationEssentials

/// A read-only store over files that something else has put there, such as those bundled with a program.
///
/// The files are plain: no record, no expiry, no check but that each is read whole. Symbolic links are
/// followed: whoever gives the paths has chosen them. Anything but a regular file is passed over. Writing
/// throws ``DiskCacheError/Code/readOnly``; removing does too, and `close()` changes nothing.
public final class FolderByteStore: ByteStore {
    /// The word for this store in logs and results.
    public let name: String
    /// Always `false`.
    public var isWritable: Bool { false }

    private let paths: @Sendable (String) -> [String]
    private let fileSystem: any FileSystem
    private let pool = BlockingPool(width: 4)

    /// Creates a store over files that a closure finds.
    ///
    /// - Parameters:
    ///   - name: The word for this store in logs and results; `bundle` by default.
    ///   - path: The file for a key, `nil` for none; called for each read, on the caller's thread.
    public convenience init(name: String = "bundle", path: @escaping @Sendable (String) -> String?) {
        self.init(name: name, fileSystem: PosixFileSystem()) { key in path(key).map { [$0] } ?? [] }
    }

    /// Creates a store over files of which the first that is there counts.
    package init(name: String, fileSystem: any FileSystem, paths: @escaping @Sendable (String) -> [String]) {
        self.name = name
        self.fileSystem = fileSystem
        self.paths = paths
    }

    /// The whole file of a key, with its modification date; `nil` where there is none.
    ///
    /// - Throws: ``DiskCacheError`` where the file is there and the system does not let it be read.
    public func blob(forKey key: String) async throws(DiskCacheError) -> Blob? {
        try await firstFile(forKey: key) { fileSystem, path throws(FileError) in
            try fileSystem.readWhole(path)
        }
    }

    /// Whether there is a file for a key.
    ///
    /// - Throws: ``DiskCacheError`` where the system does not let it be looked at.
    public func contains(_ key: String) async throws(DiskCacheError) -> Bool {
        let status = try await firstFile(forKey: key) { fileSystem, path throws(FileError) in
            try fileSystem.withFile(path) { _, status in status }
        }
        return status != nil
    }

    /// The date and the size of a key's file; `nil` where there is none.
    ///
    /// - Throws: ``DiskCacheError`` where the system does not let it be looked at.
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
                    // Nothing, or a socket.
                    continue
                } catch {
                    throw DiskCacheError(error, path: path)
                }
            }
            return nil
        }
    }
}

/// What a read-only store refuses, and what it does not know.
extension FolderByteStore {
    /// Refused.
    ///
    /// - Throws: ``DiskCacheError/Code/readOnly``, always.
    public func store(_ data: Data, forKey key: String, options: BlobOptions) async throws(DiskCacheError) {
        throw refusal
    }

    /// Refused.
    ///
    /// - Throws: ``DiskCacheError/Code/readOnly``, always.
    @discardableResult
    public func removeBlob(forKey key: String) async throws(DiskCacheError) -> Bool { throw refusal }

    /// Refused.
    ///
    /// - Throws: ``DiskCacheError/Code/readOnly``, always.
    @discardableResult
    public func removeAll() async throws(DiskCacheError) -> StoreUsage { throw refusal }

    /// Refused.
    ///
    /// - Throws: ``DiskCacheError/Code/readOnly``, always.
    @discardableResult
    public func removeBlobs(
        where isRemoved: @escaping @Sendable (String) -> Bool
    ) async throws(DiskCacheError) -> Int { throw refusal }

    /// Nothing here expires, so nothing is removed.
    @discardableResult
    public func removeExpired() async -> StoreUsage { StoreUsage() }

    /// Zero: the files are not the cache's to count.
    public func usage() async -> StoreUsage { StoreUsage() }

    /// Changes nothing; there is nothing to write.
    public func close() async {}

    private var refusal: DiskCacheError {
        DiskCacheError(
            code: .readOnly,
            detail: "the store \(name) is read-only; put a writable one before it"
        )
    }
}

extension FileSystem {
    /// Opens the regular file that a path leads to; `nil` where something else stands there, or it is longer
    /// than an entry can be.
    fileprivate func withFile<Value>(
        _ path: String,
        _ body: (FileDescriptor, FileStatus) throws(FileError) -> Value?
    ) throws(FileError) -> Value? {
        let file = try open(path, as: .readThroughLinks)
        defer { closeAfterFailure(file) }
        let status = try status(of: file)
        guard status.kind == .file, status.byteCount <= EntryRecord.fileByteCountMax else { return nil }
        return try body(file, status)
    }

    /// A whole regular file; `nil` where there is none.
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
