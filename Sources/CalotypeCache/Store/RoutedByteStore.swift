public import FoundationEssentials

/// Several byte stores, each for its own keys.
///
/// ```swift
/// // Originals stay longer than the variants made from them.
/// let store = RoutedByteStore(originals: try DiskCache(namespace: "originals"), variants: disk)
/// ```
public struct RoutedByteStore: ByteStore {
    /// The name for logs and results.
    public let name: String
    /// The stores, by their indices.
    public let stores: [any ByteStore]
    private let route: @Sendable (String) -> Int

    /// Creates a store that combines several.
    ///
    /// - Parameters:
    ///   - stores: The stores.
    ///   - name: The name for logs and results.
    ///   - route: Returns the index of the store for a key, which must be constant; an index out of range
    ///     means the last store.
    /// - Precondition: There is at least one store.
    public init(
        _ stores: [any ByteStore],
        name: String = "routes",
        route: @escaping @Sendable (String) -> Int
    ) {
        precondition(!stores.isEmpty, "routes to no stores")
        (self.stores, self.name, self.route) = (stores, name, route)
    }

    /// Creates a store that separates downloaded originals from their variants.
    ///
    /// - Parameters:
    ///   - originals: The store for the bytes as their origins sent them.
    ///   - variants: The store for processed images.
    public init(originals: any ByteStore, variants: any ByteStore) {
        self.init([originals, variants]) { ImageKey($0).isVariant ? 1 : 0 }
    }

    /// Whether each store is writable.
    public var isWritable: Bool { stores.allSatisfy(\.isWritable) }

    private func store(for key: String) -> any ByteStore {
        let index = route(key)
        return stores.indices.contains(index) ? stores[index] : stores[stores.count - 1]
    }

    /// Returns the bytes from the key's store.
    ///
    /// - Throws: The error of that store.
    public func blob(forKey key: String) async throws -> Blob? {
        try await store(for: key).blob(forKey: key)
    }

    /// Returns the information from the key's store.
    ///
    /// - Throws: The error of that store.
    public func blobInfo(forKey key: String) async throws -> BlobInfo? {
        try await store(for: key).blobInfo(forKey: key)
    }

    /// Returns whether the key's store has an entry.
    ///
    /// - Throws: The error of that store.
    public func contains(_ key: String) async throws -> Bool {
        try await store(for: key).contains(key)
    }

    /// Stores bytes in the key's store.
    ///
    /// - Throws: The error of that store.
    public func store(_ data: Data, forKey key: String, options: BlobOptions) async throws {
        try await store(for: key).store(data, forKey: key, options: options)
    }

    /// Renews the entry in the key's store.
    ///
    /// - Throws: The error of that store.
    @discardableResult
    public func renewBlob(forKey key: String, options: BlobOptions) async throws -> Bool {
        try await store(for: key).renewBlob(forKey: key, options: options)
    }

    /// Removes the entry of a key.
    ///
    /// - Throws: The error of its store.
    @discardableResult
    public func removeBlob(forKey key: String) async throws -> Bool {
        try await store(for: key).removeBlob(forKey: key)
    }

    /// Removes all entries of all stores.
    ///
    /// - Throws: The first error of a store; the others are empty all the same.
    @discardableResult
    public func removeAll() async throws -> StoreUsage {
        var sum = StoreUsage()
        try await each { sum.add(try await $0.removeAll()) }
        return sum
    }

    /// Removes the entries whose keys match a predicate.
    ///
    /// - Throws: The first error of a store; the others have removed them all the same.
    @discardableResult
    public func removeBlobs(where isRemoved: @escaping @Sendable (String) -> Bool) async throws -> Int {
        var count = 0
        try await each { count += try await $0.removeBlobs(where: isRemoved) }
        return count
    }

    /// Removes expired entries.
    ///
    /// - Throws: The first error of a store; the others have been processed all the same.
    @discardableResult
    public func removeExpired() async throws -> StoreUsage {
        var sum = StoreUsage()
        try await each { sum.add(try await $0.removeExpired()) }
        return sum
    }

    /// Returns the total contents of all stores.
    ///
    /// - Throws: The first error of a store.
    public func usage() async throws -> StoreUsage {
        var sum = StoreUsage()
        try await each { sum.add(try await $0.usage()) }
        return sum
    }

    /// Makes each store write its pending changes.
    ///
    /// - Throws: The first error of a store; the others have written all the same.
    public func flush() async throws {
        try await each { try await $0.flush() }
    }

    /// Closes each store.
    ///
    /// - Throws: The first error of a store; the others are closed all the same.
    public func close() async throws {
        try await each { try await $0.close() }
    }

    private func each(_ body: (any ByteStore) async throws -> Void) async throws {
        var failure: (any Error)?
        for store in stores {
            do { try await body(store) } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
    }
}

extension StoreUsage {
    fileprivate mutating func add(_ other: StoreUsage) {
        entryCount += other.entryCount
        byteCount += other.byteCount
        isPartial = isPartial || other.isPartial
    }
}
