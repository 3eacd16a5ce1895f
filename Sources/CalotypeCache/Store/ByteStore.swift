public import CalotypeCore
public import FoundationEssentials

/// Anything that keeps bytes by key: a directory, a read-only bundle, later a server.
///
/// An image cache has an ordered list of them, nearest first; ``RoutedByteStore`` is one store of
/// several that sends each key to one of them. A miss is `nil`, never an error. Operations on
/// one key take effect in the order they were issued. Keys are equal where their bytes of UTF-8 are: two
/// spellings of one text, as Unicode sees it, are two keys.
public protocol ByteStore: Sendable {
    /// A short word for logs and results, such as `disk`.
    var name: String { get }

    /// Whether writes can succeed; a store that is read-only serves hits and throws on writes.
    var isWritable: Bool { get }

    /// The bytes kept for a key with what is known of them, or `nil`.
    func blob(forKey key: String) async throws -> Blob?

    /// What is known of the bytes kept for a key, or `nil`.
    ///
    /// What a store has no better way for, it does by reading the bytes.
    func blobInfo(forKey key: String) async throws -> BlobInfo?

    /// Whether ``blob(forKey:)`` would find something; reads no payload.
    func contains(_ key: String) async throws -> Bool

    /// Keeps bytes for a key in place of what was there; returns when they are written.
    func store(_ data: Data, forKey key: String, options: BlobOptions) async throws

    /// Gives an entry a new date and what stands beside its bytes; returns whether there was one.
    ///
    /// What a store has no better way for, it does by storing the bytes again.
    @discardableResult
    func renewBlob(forKey key: String, options: BlobOptions) async throws -> Bool

    /// Forgets a key; returns whether it was there.
    @discardableResult
    func removeBlob(forKey key: String) async throws -> Bool

    /// Forgets everything; returns what was removed.
    @discardableResult
    func removeAll() async throws -> StoreUsage

    /// Forgets the keys that a closure picks; returns how many.
    @discardableResult
    func removeBlobs(where isRemoved: @escaping @Sendable (String) -> Bool) async throws -> Int

    /// Forgets what has expired; returns what was removed.
    @discardableResult
    func removeExpired() async throws -> StoreUsage

    /// How much is kept, in one consistent reading.
    func usage() async throws -> StoreUsage

    /// Writes what is pending and enforces the limits, as before a suspension; the store goes on.
    ///
    /// Nothing is to be done in a store that keeps nothing back.
    func flush() async throws

    /// Writes what is pending, enforces the limits, and stops; later writes throw.
    func close() async throws
}

extension ByteStore {
    /// Reads the bytes, and tells what is known of them.
    ///
    /// - Throws: What reading throws.
    public func blobInfo(forKey key: String) async throws -> BlobInfo? {
        try await blob(forKey: key)?.info
    }

    /// Stores the bytes again with the new options.
    ///
    /// - Throws: What reading or storing throws.
    @discardableResult
    public func renewBlob(forKey key: String, options: BlobOptions) async throws -> Bool {
        guard let blob = try await blob(forKey: key) else { return false }
        try await store(blob.data, forKey: key, options: options)
        return true
    }

    /// Does nothing.
    public func flush() async throws {}
}

/// Bytes out of a store, with what it knows of them.
public struct Blob: Equatable, Sendable {
    /// The bytes, as they were stored.
    public var data: Data
    /// Up to 4 KiB that belong to whoever stored them; the store does not look inside.
    public var metadata: Data
    /// When they were written.
    public var writtenAt: Timestamp
    /// When they stop being served; `nil` for never.
    public var expiresAt: Timestamp?

    /// Creates a blob.
    public init(data: Data, metadata: Data = Data(), writtenAt: Timestamp, expiresAt: Timestamp? = nil) {
        self.data = data
        self.metadata = metadata
        self.writtenAt = writtenAt
        self.expiresAt = expiresAt
    }
}

extension Blob {
    /// What is known of the bytes.
    public var info: BlobInfo {
        BlobInfo(byteCount: data.count, metadata: metadata, writtenAt: writtenAt, expiresAt: expiresAt)
    }
}

/// What a store knows of bytes that it keeps.
public struct BlobInfo: Hashable, Sendable {
    /// How many bytes were stored.
    public var byteCount: Int
    /// Up to 4 KiB that belong to whoever stored them.
    public var metadata: Data
    /// When they were written.
    public var writtenAt: Timestamp
    /// When they stop being served; `nil` for never.
    public var expiresAt: Timestamp?

    /// Creates what is known of bytes.
    public init(
        byteCount: Int,
        metadata: Data = Data(),
        writtenAt: Timestamp,
        expiresAt: Timestamp? = nil
    ) {
        self.byteCount = byteCount
        self.metadata = metadata
        self.writtenAt = writtenAt
        self.expiresAt = expiresAt
    }
}

/// What is kept beside the bytes of an entry.
public struct BlobOptions: Hashable, Sendable {
    /// Up to 4 KiB, opaque to the store; empty unless set.
    public var metadata: Data
    /// How long this entry is served, in place of the store's own rule; `nil`, the default, leaves it to the
    /// store.
    public var expiry: Expiry?

    /// Creates options; each default is stated at its property.
    public init(metadata: Data = Data(), expiry: Expiry? = nil) {
        self.metadata = metadata
        self.expiry = expiry
    }
}

/// When an entry stops being served.
public enum Expiry: Hashable, Sendable {
    /// So long after it was written.
    case afterWrite(Duration)
    /// So long after it was last read or written.
    case afterAccess(Duration)
    /// Not by age.
    case never

    /// So many days after it was written.
    public static func days(_ count: Int) -> Expiry { .afterWrite(.days(count)) }

    /// So many hours after it was written.
    public static func hours(_ count: Int) -> Expiry { .afterWrite(.hours(count)) }
}

/// How much a store keeps.
public struct StoreUsage: Hashable, Sendable {
    /// Entries.
    public var entryCount: Int
    /// Bytes of payloads and records together, as files are long.
    public var byteCount: Int
    /// Whether there is more that could not be counted, such as a folder that cannot be listed.
    public var isPartial = false

    /// Creates a reading.
    public init(entryCount: Int = 0, byteCount: Int = 0) {
        self.entryCount = entryCount
        self.byteCount = byteCount
    }
}
