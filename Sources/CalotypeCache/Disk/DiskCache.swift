import CalotypeCore
import CalotypeSupport
public import FoundationEssentials

/// Keeps bytes by key in a directory; the files are whole and valid files of their own.
///
/// Several processes may share a directory. An entry is found whole or not at all: what is torn, damaged,
/// foreign or another key's is a miss. Operations on one key take effect in the order they were issued, and
/// reads see writes that are still in flight; different keys run side by side. The limits hold after every
/// write.
///
/// No call blocks the calling thread: what the system has in memory is read there, which waits for nothing,
/// and all other file work runs on threads of the cache's own.
///
/// - SeeAlso: `Docs/cache-format.md`.
public final class DiskCache: ByteStore {
    /// What the cache was created with.
    public let configuration: Configuration

    let layout: DirectoryLayout
    let fileSystem: any FileSystem
    let folder: WriterFolder
    let reader: EntryReader
    let writer: EntryWriter
    let remover: EntryRemover
    let directory: DirectoryScan
    let sweep: AbandonedFilesSweep
    /// For what somebody waits for.
    let pool: BlockingPool
    /// The one thread of what is done in the background.
    let maintenancePool = BlockingPool(width: 1, name: "tidy")
    /// What is known of each folder; see ``DiskShard``.
    let shards: [GuardedShard]
    /// What those share who change the directory; locks are taken in this order: state, shard, front.
    let state: Guarded<DiskCacheState>
    let front = Guarded(DiskFront())
    /// Serialises the write-back of access times; acquiring it may block.
    let writingUses = Guarded(())
    /// Serialises scans of folders; acquiring it may block.
    let walking = Guarded(())

    /// The word for this store in logs and results: `disk`.
    public var name: String { "disk" }

    /// Whether the cache is meant to be written to; a write can still find the directory read-only, and then
    /// throws.
    public var isWritable: Bool { true }

    /// Creates a cache and returns at once; the directory is opened in the background, before the first
    /// operation.
    ///
    /// Nothing fails here but the configuration itself. A directory that cannot be made or written to gives
    /// misses, and its error on each write; one that other users can write to gives its error on each call.
    /// ``open(_:)`` tells it at once.
    ///
    /// - Parameter configuration: Where the cache stands and how it behaves.
    /// - Throws: ``DiskCacheError/Code/invalidConfiguration``, also where no root is named and there is no
    ///   home folder.
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
        sweep = AbandonedFilesSweep(fileSystem: fileSystem, layout: layout, remover: remover)
        pool = BlockingPool(
            width: configuration.concurrencyMax,
            name: "disk",
            keepsThreadForUrgent: true
        )
        let shards = (0..<DirectoryWalk.folderCount).map { _ in GuardedShard() }
        self.shards = shards
        state = Guarded(
            DiskCacheState(shards: shards, pendingByteCountMax: configuration.pendingByteCountMax)
        )
        issue(.barrier, { _ in }) { cache in
            cache.openDirectory()
            return {}
        }
    }

    /// Creates a cache in the user's cache folder, as ``init(_:)``.
    ///
    /// - Parameters:
    ///   - namespace: What its folder is called; two programs with the same name share their entries.
    ///   - sizeLimit: The most bytes it keeps; as ``DiskSettings/sizeLimit`` unless given.
    ///   - expiry: When entries stop being served; 7 days after they were written unless given.
    /// - Throws: ``DiskCacheError/Code/invalidConfiguration``, also where there is no home folder.
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
    /// - Parameter configuration: Where the cache stands and how it behaves.
    /// - Returns: The cache.
    /// - Throws: ``DiskCacheError`` where the directory can neither be read nor made, or is not to be
    ///   trusted.
    public static func open(
        _ configuration: Configuration = Configuration()
    ) async throws(DiskCacheError) -> DiskCache {
        let cache = try DiskCache(configuration)
        let error = try await cache.perform(.barrier) { cache in cache.front.withLock { $0.openingError } }
        if let error, !error.leavesReading { throw error }
        return cache
    }

    /// The file of a key; the entry is there when the file is.
    ///
    /// It is a valid file of what was stored, with the entry's record after the payload.
    public func path(forKey key: String) -> String {
        layout.path(of: EntryName(key: key))
    }

    /// What the cache has done since it was opened, in one consistent reading.
    public var statistics: DiskStatistics {
        var statistics = front.withLock { $0.statistics }
        statistics.maintenanceFailureCount += folder.failureCount
        return statistics
    }

    /// The bytes kept for a key, checked, with what is known of them; `nil` for a miss.
    ///
    /// - Throws: ``DiskCacheError`` where the file is there and the system does not let it be read.
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

    /// Keeps bytes for a key in place of what was there; returns when they are written.
    ///
    /// While as many bytes wait to be written as ``Configuration/pendingByteCountMax``, this waits for room
    /// before it counts as issued, and so does every change that is asked for behind it.
    ///
    /// - Parameters:
    ///   - data: The bytes; the file begins with them.
    ///   - key: Up to 65,536 bytes of UTF-8.
    ///   - options: Metadata and an expiry of the entry's own.
    /// - Throws: ``DiskCacheError``; the earlier entry is then still there, and nothing of the new one.
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

    /// Forgets a key; returns whether it was there.
    ///
    /// - Throws: ``DiskCacheError`` where the file cannot be removed.
    @discardableResult
    public func removeBlob(forKey key: String) async throws(DiskCacheError) -> Bool {
        let name = EntryName(key: key)
        return try await perform(.key(name), staging: .nothing) { cache throws(DiskCacheError) in
            try cache.removeEntry(name)
        }
    }
}
