public import FoundationEssentials

/// Several byte stores, each for keys of its own.
///
/// ```swift
/// // What was fetched outlives what was made of it.
/// let store = RoutedByteStore(originals: try DiskCache(namespace: "originals"), variants: disk)
/// ```
public struct RoutedByteStore: ByteStore {
    /// A short word for logs and results.
    public let name: String
    /// The stores, by their indices.
    public let stores: [any ByteStore]
    private let route: @Sendable (String) -> Int

    /// Creates a store of several.
    ///
    /// - Parameters:
    ///   - stores: The stores.
    ///   - name: A short word for logs and results.
    ///   - route: The index of the store for a key, always the same; one out of range means the last.
    /// - Precondition: There is at least one store.
    public init(
        _ stores: [any ByteStore],
        name: String = "routes",
        route: @escaping @Sendable (String) -> Int
    ) {
        precondition(!stores.isEmpty, "routes to no stores")
        (self.stores, self.name, self.route) = (stores, name, route)
    }

    /// Creates a store that keeps what a pipeline has fetched apart from what it has made of it.
    ///
    /// - Parameters:
    ///   - originals: For the bytes as their origins sent them.
    ///   - variants: For what was made of them.
    public init(originals: any ByteStore, variants: any ByteStore) {
        self.init([originals, variants]) { ImageKey($0).isVariant ? 1 : 0 }
    }

    /// Whether each store is writable.
    public var isWritable: Bool { stores.allSatisfy(\.isWritable) }

    private func store(for key: String) -> any ByteStore {
        let index = route(key)
        return stores.indices.contains(index) ? stores[index] : stores[stores.count - 1]
    }

    /// What the key's store has.
    ///
    /// - Throws: What that store throws.
    public func blob(forKey key: String) async throws -> Blob? {
        try await store(for: key).blob(forKey: key)
    }

    /// What the key's store knows.
    ///
    /// - Throws: What that store throws.
    public func blobInfo(forKey key: String) async throws -> BlobInfo? {
        try await store(for: key).blobInfo(forKey: key)
    }

    /// Whether the key's store has it.
    ///
    /// - Throws: What that store throws.
    public func contains(_ key: String) async throws -> Bool {
        try await store(for: key).contains(key)
    }

    /// Keeps bytes in the key's store.
    ///
    /// - Throws: What that store throws.
    public func store(_ data: Data, forKey key: String, options: BlobOptions) async throws {
        try await store(for: key).store(data, forKey: key, options: options)
    }

    /// Gives the entry in the key's store a new date.
    ///
    /// - Throws: What that store throws.
    @discardableResult
    public func renewBlob(forKey key: String, options: BlobOptions) async throws -> Bool {
        try await store(for: key).renewBlob(forKey: key, options: options)
    }

    /// Forgets a key.
    ///
    /// - Throws: What its store throws.
    @discardableResult
    public func removeBlob(forKey key: String) async throws -> Bool {
        try await store(for: key).removeBlob(forKey: key)
    }

    /// Forgets everything.
    ///
    /// - Throws: What a store throws; the others are empty all the same.
    @discardableResult
    public func removeAll() async throws -> StoreUsage {
        var sum = StoreUsage()
        try await each { sum.add(try await $0.removeAll()) }
        return sum
    }

    /// Forgets the keys that a closure picks.
    ///
    /// - Throws: What a store throws; the others have forgotten them all the same.
    @discardableResult
    public func removeBlobs(where isRemoved: @escaping @Sendable (String) -> Bool) async throws -> Int {
        var count = 0
        try await each { count += try await $0.removeBlobs(where: isRemoved) }
        return count
    }

    /// Forgets what has expired.
    ///
    /// - Throws: What a store throws; the others have been asked all the same.
    @discardableResult
    public func removeExpired() async throws -> StoreUsage {
        var sum = StoreUsage()
        try await each { sum.add(try await $0.removeExpired()) }
        return sum
    }

    /// How much all stores keep together.
    ///
    /// - Throws: What a store throws.
    public func usage() async throws -> StoreUsage {
        var sum = StoreUsage()
        try await each { sum.add(try await $0.usage()) }
        return sum
    }

    /// Lets each store write what it keeps back.
    ///
    /// - Throws: What a store throws; the others have written all the same.
    public func flush() async throws {
        try await each { try await $0.flush() }
    }

    /// Closes each store.
    ///
    /// - Throws: What a store throws; the others are closed all the same.
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
    /// Adds what another store keeps.
    fileprivate mutating func add(_ other: StoreUsage) {
        entryCount += other.entryCount
        byteCount += other.byteCount
        isPartial = isPartial || other.isPartial
    }
}
