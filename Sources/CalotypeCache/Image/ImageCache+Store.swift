internal import CalotypeCodecs
public import CalotypeCore
public import FoundationEssentials

extension ImageCache {
    /// Keeps an image: in memory at once, in the nearest writable store before it returns.
    ///
    /// What is issued for one key takes effect in the order in which it was issued, also where an image must
    /// be encoded first: removing it right after leaves nothing behind.
    ///
    /// - Parameters:
    ///   - image: The image.
    ///   - data: Its encoded bytes; without them an animation keeps the file that it came in
    ///     (`Animation.encodedData`), and all else is encoded by the rule of `CodecRegistry`.
    ///   - key: What it is found by.
    ///   - layers: Where it is kept; everywhere by default. Without memory, another image that memory has for
    ///     the key is forgotten.
    ///   - options: Metadata and expiry of the entry in the store.
    /// - Throws: `EncodeError`, or ``DiskCacheError``; the image is then in memory all the
    ///   same.
    public func store(
        _ image: Image,
        data: Data? = nil,
        for key: ImageKey,
        in layers: Set<Layer> = [.memory, .disk],
        options: BlobOptions = BlobOptions()
    ) async throws {
        let change = changes.begin(.key(key))
        defer { changes.end(change) }
        if layers.contains(.memory) {
            storeInMemory(image, for: key)
        } else if layers.contains(.disk), let old = memory.peek(key), old !== image {
            memory.removeValue(old, forKey: key)
        }
        guard layers.contains(.disk), let target = storeToWrite else { return }
        try await turns.inTurn(.key(key)) {
            let bytes: Data
            if let data = data ?? image.animation?.encodedData {
                bytes = data
            } else {
                bytes = try await codecPool.encode(image)
            }
            try await target.store(bytes, forKey: key.rawValue, options: options)
        }
    }

    /// Keeps encoded bytes in the nearest writable store, or in the first store, which then says why it
    /// cannot.
    ///
    /// An image in memory for the key is forgotten at once: the bytes may be those of another.
    ///
    /// - Throws: ``DiskCacheError``.
    public func store(_ data: Data, for key: ImageKey, options: BlobOptions = BlobOptions()) async throws {
        let change = changes.begin(.key(key))
        defer { changes.end(change) }
        memory.removeValue(forKey: key)
        guard let target = storeToWrite else { return }
        try await turns.inTurn(.key(key)) {
            try await target.store(data, forKey: key.rawValue, options: options)
        }
    }

    /// Keeps bytes that are made when it is their turn; an image in memory stays, which is the caller's
    /// business.
    ///
    /// - Parameters:
    ///   - key: What they are kept under.
    ///   - options: What is kept beside them.
    ///   - ticket: That of the load that they come from; where it is revoked by then, nothing is kept.
    ///   - onPlaced: Called once, as soon as a removal that is issued later cannot be ahead of this.
    ///   - makeData: Makes the bytes.
    /// - Throws: What making or storing throws.
    package func store(
        for key: ImageKey,
        options: BlobOptions,
        ticket: LoadTicket,
        onPlaced: () -> Void,
        _ makeData: () async throws -> Data
    ) async throws {
        guard let target = storeToWrite else { return onPlaced() }
        let change = changes.begin(.key(key))
        defer { changes.end(change) }
        try await turns.inTurn(.key(key), onPlaced: onPlaced) {
            if ticket.isRevoked { return }
            try await target.store(try await makeData(), forKey: key.rawValue, options: options)
        }
    }

    /// Notes that somebody puts an image for a key into memory by itself, before it does.
    package func noteChange(of key: ImageKey) { changes.note(.key(key)) }

    private var storeToWrite: (any ByteStore)? { stores.first { $0.isWritable } ?? stores.first }

    /// Removes an entry that is no image from the stores; a load that is to replace it goes on.
    package func removeDamaged(_ key: ImageKey) async throws {
        try await removeFromStores(key, changes.begin(.key(key), emptiesStores: true, isRevocation: false))
    }

    /// Forgets an image in the layers named, by default in all.
    ///
    /// It is gone at once: a query that is issued later finds none, also before this has returned.
    ///
    /// - Throws: ``DiskCacheError`` where a store fails; the other layers have forgotten it all the same.
    public func remove(_ key: ImageKey, from layers: Set<Layer> = [.memory, .disk]) async throws {
        let change = changes.begin(.key(key), emptiesStores: layers.contains(.disk))
        if layers.contains(.memory) { memory.removeValue(forKey: key) }
        guard layers.contains(.disk) else { return changes.end(change) }
        try await removeFromStores(key, change)
    }

    private func removeFromStores(_ key: ImageKey, _ change: PendingChanges.Change) async throws {
        defer { changes.end(change) }
        try await turns.inTurn(.key(key)) {
            try await forEachWritableStore { try await $0.removeBlob(forKey: key.rawValue) }
        }
    }

    /// Forgets everything in the layers named, by default in all.
    ///
    /// What a pipeline over the cache keeps beside it goes with `ImagePipeline.removeAll()`.
    ///
    /// It is gone at once: a query that is issued later finds nothing, also before this has returned.
    ///
    /// - Throws: ``DiskCacheError`` where a store fails; the other layers are empty all the same.
    public func removeAll(from layers: Set<Layer> = [.memory, .disk]) async throws {
        let change = changes.begin(.all, emptiesStores: layers.contains(.disk))
        defer { changes.end(change) }
        if layers.contains(.memory) { memory.removeAll() }
        guard layers.contains(.disk) else { return }
        try await turns.inTurn(.barrier) {
            try await forEachWritableStore { try await $0.removeAll() }
        }
    }

    /// Forgets the images whose keys a closure picks, in the layers named, by default in all.
    ///
    /// Every key is looked at; a disk cache reads each entry's record for it. Queries that are issued
    /// meanwhile do not find what the closure picks. Other images are stored meanwhile as ever; one that the
    /// closure picks and that is stored before this has returned may go or stay.
    ///
    /// - Parameters:
    ///   - layers: Where they are forgotten.
    ///   - isRemoved: Whether the image of a key is to go; called on any thread.
    /// - Throws: ``DiskCacheError`` where a store fails; the other layers have forgotten them all the same.
    public func removeAll(
        from layers: Set<Layer> = [.memory, .disk],
        where isRemoved: @escaping @Sendable (ImageKey) -> Bool
    ) async throws {
        try await removeAll(from: layers, where: isRemoved) { _ in }
    }

    /// The same, and tells of each key that is found; more than once where several layers have it.
    package func removeAll(
        from layers: Set<Layer> = [.memory, .disk],
        where isRemoved: @escaping @Sendable (ImageKey) -> Bool,
        onFind: @escaping @Sendable (ImageKey) -> Void
    ) async throws {
        let isRemovedHere: @Sendable (ImageKey) -> Bool = { key in
            guard isRemoved(key) else { return false }
            onFind(key)
            return true
        }
        let change = changes.begin(.keys(where: isRemoved), emptiesStores: layers.contains(.disk))
        defer { changes.end(change) }
        if layers.contains(.memory) { memory.removeAll(where: isRemovedHere) }
        guard layers.contains(.disk) else { return }
        // Waits for what was issued before, and holds up nothing that is issued later.
        await turns.inTurn(.barrier) {}
        try await forEachWritableStore { try await $0.removeBlobs { isRemovedHere(ImageKey($0)) } }
    }

    /// Gives an entry in the nearest writable store a new date and other metadata.
    ///
    /// - Throws: ``DiskCacheError``.
    package func renew(_ key: ImageKey, options: BlobOptions) async throws {
        guard let target = storeToWrite else { return }
        try await turns.inTurn(.key(key)) {
            try await target.renewBlob(forKey: key.rawValue, options: options)
        }
    }

    /// Forgets what has expired in memory and in the stores.
    ///
    /// - Throws: ``DiskCacheError`` where a store fails; the others have been asked all the same.
    public func removeExpired() async throws {
        memory.removeExpired()
        try await forEachWritableStore { try await $0.removeExpired() }
    }

    /// How much a layer keeps: in memory the images with their cost, in the stores the entries with the bytes
    /// of their files, all stores together.
    ///
    /// - Throws: ``DiskCacheError`` where a store fails.
    public func usage(of layer: Layer) async throws -> StoreUsage {
        guard layer == .disk else {
            let statistics = memory.statistics
            return StoreUsage(entryCount: statistics.count, byteCount: statistics.cost)
        }
        var sum = StoreUsage()
        for store in stores {
            let usage = try await store.usage()
            sum.entryCount += usage.entryCount
            sum.byteCount += usage.byteCount
        }
        return sum
    }

    private func forEachWritableStore(_ body: (any ByteStore) async throws -> Void) async throws {
        try await forEach(stores.filter(\.isWritable), body)
    }

    /// Calls `body` for each store, also after one has failed, and throws the first failure at the end.
    func forEach(_ stores: [any ByteStore], _ body: (any ByteStore) async throws -> Void) async throws {
        var firstFailure: (any Error)?
        for store in stores {
            do {
                try await body(store)
            } catch {
                firstFailure = firstFailure ?? error
            }
        }
        if let firstFailure { throw firstFailure }
    }
}
