public import CalotypeCore
public import FoundationEssentials

/// A store of bytes by key: a directory, a read-only bundle, or a server.
///
/// An image cache has an ordered list of stores, nearest first; ``RoutedByteStore`` combines several stores
/// into one and sends each key to one of them. A miss is `nil`, never an error. Operations on one key take
/// effect in the order they were issued. Keys are equal if their UTF-8 bytes are: canonically equivalent
/// strings are different keys.
public protocol ByteStore: Sendable {
    /// The name for logs and results, such as `disk`.
    var name: String { get }

    /// Whether writes can succeed; a read-only store serves hits and throws on writes.
    var isWritable: Bool { get }

    /// Returns the bytes stored for a key, with their metadata and dates, or `nil`.
    func blob(forKey key: String) async throws -> Blob?

    /// Returns the size, metadata and dates of a key's bytes, or `nil`.
    ///
    /// By default, reads the bytes.
    func blobInfo(forKey key: String) async throws -> BlobInfo?

    /// Returns whether ``blob(forKey:)`` would find an entry; reads no payload.
    func contains(_ key: String) async throws -> Bool

    /// Stores bytes for a key, replacing earlier ones; returns once they are written.
    func store(_ data: Data, forKey key: String, options: BlobOptions) async throws

    /// Renews an entry with a new date and new options; returns whether it existed, with the metadata that
    /// the options expect.
    ///
    /// By default, stores the bytes again.
    @discardableResult
    func renewBlob(forKey key: String, options: BlobOptions) async throws -> Bool

    /// Removes the entry of a key; returns whether it existed.
    @discardableResult
    func removeBlob(forKey key: String) async throws -> Bool

    /// Removes all entries; returns what was removed.
    @discardableResult
    func removeAll() async throws -> StoreUsage

    /// Removes the entries whose keys match a predicate; returns their number.
    @discardableResult
    func removeBlobs(where isRemoved: @escaping @Sendable (String) -> Bool) async throws -> Int

    /// Removes expired entries; returns what was removed.
    @discardableResult
    func removeExpired() async throws -> StoreUsage

    /// Returns the contents, in one consistent snapshot.
    func usage() async throws -> StoreUsage

    /// Writes pending changes and enforces the limits, as before a suspension; the store stays open.
    ///
    /// By default, does nothing.
    func flush() async throws

    /// Writes pending changes, enforces the limits, and closes the store; later writes throw.
    func close() async throws
}

extension ByteStore {
    /// Reads the bytes, and returns their information.
    ///
    /// - Throws: The error of reading.
    public func blobInfo(forKey key: String) async throws -> BlobInfo? {
        try await blob(forKey: key)?.info
    }

    /// Stores the bytes again with the new options.
    ///
    /// - Throws: The error of reading or storing.
    @discardableResult
    public func renewBlob(forKey key: String, options: BlobOptions) async throws -> Bool {
        guard let blob = try await blob(forKey: key), options.permitRenewal(of: blob.metadata) else {
            return false
        }
        try await store(blob.data, forKey: key, options: options)
        return true
    }

    /// Does nothing.
    public func flush() async throws {}
}

/// Bytes from a store, with their metadata and dates.
public struct Blob: Equatable, Sendable {
    /// The bytes, as they were stored.
    public var data: Data
    /// Up to 4 KiB defined by the client that stored them; the store does not interpret them.
    public var metadata: Data
    /// The time when they were written.
    public var writtenAt: Timestamp
    /// The time when they stop being served; `nil` for never.
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
    /// The size, metadata and dates.
    public var info: BlobInfo {
        BlobInfo(byteCount: data.count, metadata: metadata, writtenAt: writtenAt, expiresAt: expiresAt)
    }
}

/// The size, metadata and dates of stored bytes.
public struct BlobInfo: Hashable, Sendable {
    /// The number of bytes stored.
    public var byteCount: Int
    /// Up to 4 KiB defined by the client that stored them.
    public var metadata: Data
    /// The time when they were written.
    public var writtenAt: Timestamp
    /// The time when they stop being served; `nil` for never.
    public var expiresAt: Timestamp?

    /// Creates the information about bytes.
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

/// The options of an entry.
public struct BlobOptions: Hashable, Sendable {
    /// Up to 4 KiB, opaque to the store; empty unless set.
    public var metadata: Data
    /// The entry's own expiry, in place of the store's; `nil`, the default, for the store's.
    public var expiry: Expiry?
    /// The metadata that an entry must have to be renewed; `nil`, the default, for any.
    ///
    /// An entry with other metadata, which another process has stored meanwhile, stays as it is.
    public var renewedMetadata: Data?

    /// Creates options; each default is stated at its property.
    public init(metadata: Data = Data(), expiry: Expiry? = nil) {
        self.metadata = metadata
        self.expiry = expiry
    }

    /// Whether an entry with that metadata may be renewed.
    func permitRenewal(of metadata: Data) -> Bool { renewedMetadata.map { $0 == metadata } ?? true }
}

/// The time when an entry stops being served.
public enum Expiry: Hashable, Sendable {
    /// A duration after the last write.
    case afterWrite(Duration)
    /// A duration after the last read or write.
    case afterAccess(Duration)
    /// Never by age.
    case never

    /// A number of days after the last write.
    public static func days(_ count: Int) -> Expiry { .afterWrite(.days(count)) }

    /// A number of hours after the last write.
    public static func hours(_ count: Int) -> Expiry { .afterWrite(.hours(count)) }
}

/// The contents of a store.
public struct StoreUsage: Hashable, Sendable {
    /// The number of entries.
    public var entryCount: Int
    /// The bytes of payloads and records, as the lengths of the files.
    public var byteCount: Int
    /// Whether some entries could not be counted, such as those in a folder that cannot be listed.
    public var isPartial = false

    /// Creates a usage value.
    public init(entryCount: Int = 0, byteCount: Int = 0) {
        self.entryCount = entryCount
        self.byteCount = byteCount
    }
}
