import CalotypeCore
import CalotypeSupport
public import FoundationEssentials

/// A persistent cache that stores bytes by key, each entry in a valid file of its own.
///
/// Several processes may share a directory. A torn, damaged or foreign file, or one of another key, is a
/// miss. Operations on one key take effect in the order they were issued, and reads see writes that are still
/// in flight. Operations on different keys run concurrently. The limits hold after every write.
///
/// No call blocks the calling thread: data in the page cache is read there without waiting, and all other
/// file work runs on the cache's own threads.
///
/// - SeeAlso: `Docs/cache-format.md`.
public final class DiskCache: ByteStore {
    /// The configuration that the cache was created with.
    public let configuration: Configuration

    let layout: DirectoryLayout
    let fileSystem: any FileSystem
    let folder: WriterFolder
    let reader: EntryReader
    let writer: EntryWriter
    let remover: EntryRemover
    let directory: DirectoryScan
    let sweep: TemporaryFileCleanup
    // Runs the work that a caller waits for.
    let pool: BlockingPool
    // The one background thread.
    let maintenancePool = BlockingPool(width: 1, name: "tidy")
    // One shard for each of the 256 folders; see ``DiskShard``.
    let shards: [GuardedShard]
    // State shared by all operations that change the directory. Lock order: state, shard, front.
    let state: Guarded<DiskCacheState>
    let front = Guarded(DiskFront())
    /// Serialises the write-back of access times; acquiring it may block.
    let writingUses = Guarded(())
    /// Serialises scans of folders; acquiring it may block.
    let walking = Guarded(())

    /// The name of this store in logs and results: `disk`.
    public var name: String { "disk" }

    /// Whether the cache accepts writes: always true.
    ///
    /// A write to a read-only directory throws.
    public var isWritable: Bool { true }

    /// Creates a cache and returns at once; the directory is opened in the background, before the first
    /// operation.
    ///
    /// Only an invalid configuration throws here. If the directory cannot be created or written to, reads
    /// miss and each write throws its error. If other users can write to it, each call throws. ``open(_:)``
    /// reports such errors at once.
    ///
    /// - Parameter configuration: The cache's location and behaviour.
    /// - Throws: ``DiskCacheError/Code/invalidConfiguration``, also if no root is set and there is no home
    ///   folder.
    public init(_ configuration: Configuration = Configuration()) throws(DiskCacheError) {
        let configuration = try configuration.validated()
        self.configuration = configuration
        fileSystem = configuration.fileSystem
        layout = try configuration.layout()
        folder = WriterFolder(
            fileSystem: fileSystem,
            layout: layout,
            isDurable: configuration.durability == .powerLoss,
            trustsOtherUsers: configuration.trustsOtherUsers
        )
        reader = EntryReader(fileSystem: fileSystem, layout: layout)
        writer = EntryWriter(
            fileSystem: fileSystem,
            layout: layout,
            folder: folder,
            durability: configuration.durability
        )
        remover = EntryRemover(fileSystem: fileSystem, layout: layout, folder: folder)
        directory = DirectoryScan(fileSystem: fileSystem, layout: layout)
        sweep = TemporaryFileCleanup(fileSystem: fileSystem, layout: layout, remover: remover)
        pool = BlockingPool(
            width: configuration.maxConcurrency,
            name: "disk",
            keepsThreadForUrgent: true
        )
        let shards = (0..<DirectoryWalk.folderCount).map { _ in GuardedShard() }
        self.shards = shards
        state = Guarded(
            DiskCacheState(shards: shards, maxPendingByteCount: configuration.maxPendingByteCount)
        )
        issue(.barrier, { _ in }) { cache in
            cache.openDirectory()
            return {}
        }
    }

    /// Creates a cache in the user's cache folder, as ``init(_:)``.
    ///
    /// - Parameters:
    ///   - namespace: The name of the cache's folder; two programs with the same name share their entries.
    ///   - sizeLimit: The most bytes to store; the default of ``DiskSettings/sizeLimit`` unless given.
    ///   - expiry: The expiry of entries; 7 days after they were written unless given.
    /// - Throws: ``DiskCacheError/Code/invalidConfiguration``, also if there is no home folder.
    public convenience init(
        namespace: String,
        sizeLimit: Int? = nil,
        expiry: Expiry = .days(7)
    ) throws(DiskCacheError) {
        let settings = DiskSettings(sizeLimit: sizeLimit, expiry: expiry)
        try self.init(Configuration(namespace: namespace, settings: settings))
    }

    /// Opens a cache and waits until its directory can be used; its entries are counted in the background.
    ///
    /// - Parameter configuration: The cache's location and behaviour.
    /// - Returns: The cache.
    /// - Throws: ``DiskCacheError`` if the directory can neither be read nor created, or is not trusted.
    public static func open(
        _ configuration: Configuration = Configuration()
    ) async throws(DiskCacheError) -> DiskCache {
        let cache = try DiskCache(configuration)
        let error = try await cache.perform(.barrier) { cache in cache.front.withLock { $0.openingError } }
        if let error, !error.leavesReading { throw error }
        return cache
    }

    /// Returns the path of a key's file; the file exists if and only if the entry does.
    ///
    /// It is a valid file of the stored type, with the entry's record after the payload.
    public func path(forKey key: String) -> String {
        layout.path(of: EntryName(key: key))
    }

    /// The counters since the cache was opened, in one consistent snapshot.
    public var statistics: DiskStatistics {
        var statistics = front.withLock { $0.statistics }
        statistics.maintenanceFailureCount += folder.failureCount
        return statistics
    }

    /// Returns the bytes stored for a key, verified, with their metadata and dates; `nil` for a miss.
    ///
    /// - Throws: ``DiskCacheError`` if the file exists and cannot be read.
    public func blob(forKey key: String) async throws(DiskCacheError) -> Blob? {
        let name = EntryName(key: key)
        let result: DiskReadResult
        switch try lookUpStaged(name, key: key) {
        case .found(let blob): return blob
        case .absent: return nil
        case .unknown(let cachedReads):
            if cachedReads == .possible, let cached = readCached(name, key: key) {
                result = cached
            } else {
                result = try await pool.run(.urgent) { () throws(DiskCacheError) in
                    try self.read(name, key: key, trying: cachedReads)
                }
            }
        case .notYet:
            result = try await perform(.key(name)) { cache throws(DiskCacheError) in
                try cache.read(name, key: key)
            }
        }
        if case .damaged(let identity) = result { await removeDamaged(name, identity) }
        return result.blob
    }

    /// Stores bytes for a key, replacing earlier ones; returns once they are written.
    ///
    /// While ``Configuration/maxPendingByteCount`` bytes wait to be written, this call waits before it counts
    /// as issued, and so do later changes.
    ///
    /// - Parameters:
    ///   - data: The bytes; the file begins with them.
    ///   - key: The key, up to 65,536 bytes of UTF-8.
    ///   - options: The entry's metadata and its own expiry.
    /// - Throws: ``DiskCacheError``; the earlier entry is then unchanged, and no part of the new one remains.
    public func store(
        _ data: Data,
        forKey key: String,
        options: BlobOptions = BlobOptions()
    ) async throws(DiskCacheError) {
        let name = EntryName(key: key)
        let now = configuration.timeSource.now()
        try checkLimits(key: key, metadata: options.metadata)
        var blob = Blob(data: data, metadata: options.metadata, writtenAt: now)
        blob.expiresAt = options.expiry?.expiryDate(writtenAt: now, accessedAt: now)
        let staged = StagedWrites.Content.blob(blob, key: key, expiry: options.expiry)
        try await perform(.key(name), staging: staged, byteCount: data.count) {
            cache throws(DiskCacheError) in
            let hash = unsafe data.withUnsafeBytes { unsafe xxh3($0) }
            let record = EntryRecord(
                key: key,
                metadata: options.metadata,
                writtenAt: now,
                expiry: options.expiry,
                payload: (byteCount: data.count, hash: hash)
            )
            try cache.commit(record, as: name) { cache throws(FileError) in
                try cache.writer.write(data, record, to: name)
            }
        }
    }

    /// Removes the entry of a key; returns whether it existed.
    ///
    /// - Throws: ``DiskCacheError`` if the file cannot be removed.
    @discardableResult
    public func removeBlob(forKey key: String) async throws(DiskCacheError) -> Bool {
        let name = EntryName(key: key)
        return try await perform(.key(name), staging: .nothing) { cache throws(DiskCacheError) in
            cache.putBackAsides()
            return try cache.removeEntry(name)
        }
    }
}
