internal import CalotypeCodecs
public import CalotypeCore
public import FoundationEssentials

extension ImageCache {
    /// Stores an image: in memory at once, and in the nearest writable store before this returns.
    ///
    /// Operations on one key take effect in the order they were issued, even if an image must be encoded
    /// first: removing it right after leaves no entry behind.
    ///
    /// - Parameters:
    ///   - image: The image.
    ///   - data: Its encoded bytes. Without them, an animation is stored as the file it was decoded from
    ///     (`Animation.encodedData`), and other images are encoded as `CodecRegistry` specifies.
    ///   - key: The key to find it by.
    ///   - layers: The layers to store it in; all by default. Without memory, a different image in memory for
    ///     the key is removed.
    ///   - options: Metadata and expiry of the entry in the store.
    /// - Throws: `EncodeError`, or ``DiskCacheError``; the image is then in memory all the same.
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

    /// Stores encoded bytes in the nearest writable store; without a writable one, in the first store, which
    /// throws the reason.
    ///
    /// The image in memory for the key is removed at once: the bytes may be those of another image.
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

    /// Stores bytes that are produced in the key's turn; does not change memory, which is up to the caller.
    ///
    /// - Parameters:
    ///   - key: The key of the entry.
    ///   - options: The entry's metadata and expiry.
    ///   - ticket: The ticket of the load that produced the bytes; if it has been revoked by then, or a later
    ///     load has stored its bytes, no entry is stored.
    ///   - onPlaced: Called once, as soon as no removal issued later can precede this store.
    ///   - makeData: Produces the bytes.
    /// - Throws: The error of producing or storing the bytes.
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
            guard ticket.mayStore else { return }
            try await target.store(try await makeData(), forKey: key.rawValue, options: options)
            ticket.noteStored()
        }
    }

    /// Records that the caller is about to change the image in memory for a key.
    package func noteChange(of key: ImageKey) { changes.note(.key(key)) }

    private var storeToWrite: (any ByteStore)? { stores.first { $0.isWritable } ?? stores.first }

    /// Removes an entry that is not an image from the stores; a load that will replace it continues.
    package func removeDamaged(_ key: ImageKey) async throws {
        try await removeFromStores(key, changes.begin(.key(key), emptiesStores: true, isRevocation: false))
    }

    /// Removes an image from the given layers, by default from all.
    ///
    /// The removal takes effect at once: queries issued later miss, even before this has returned.
    ///
    /// - Throws: ``DiskCacheError`` if a store fails; the other layers have removed it all the same.
    public func remove(_ key: ImageKey, from layers: Set<Layer> = [.memory, .disk]) async throws {
        let change = changes.begin(.key(key), emptiesStores: layers.contains(.disk))
        if layers.contains(.memory) { memory.removeValue(forKey: key) }
        guard layers.contains(.disk) else { return changes.end(change) }
        try await removeFromStores(key, change)
    }

    private func removeFromStores(
        _ key: ImageKey,
        _ change: PendingChanges.Change,
        onFind: (ImageKey) -> Void = { _ in }
    ) async throws {
        defer { changes.end(change) }
        try await turns.inTurn(.key(key)) {
            try await forEachWritableStore { store in
                if try await store.removeBlob(forKey: key.rawValue) { onFind(key) }
            }
        }
    }

    /// Removes all images from the given layers, by default from all.
    ///
    /// The removal takes effect at once: queries issued later miss, even before this has returned.
    ///
    /// `ImagePipeline.removeAll()` also removes what a pipeline caches on top.
    ///
    /// - Throws: ``DiskCacheError`` if a store fails; the other layers are empty all the same.
    public func removeAll(from layers: Set<Layer> = [.memory, .disk]) async throws {
        let change = changes.begin(.all, emptiesStores: layers.contains(.disk))
        defer { changes.end(change) }
        if layers.contains(.memory) { memory.removeAll() }
        guard layers.contains(.disk) else { return }
        try await turns.inTurn(.barrier) {
            try await forEachWritableStore { try await $0.removeAll() }
        }
    }

    /// Removes the images whose keys match a predicate from the given layers, by default from all.
    ///
    /// Every key is tested; a disk cache reads each entry's record for it. Queries issued meanwhile do not
    /// find matching images. Other images can be stored meanwhile as usual; a matching image stored before
    /// this has returned may be removed or stay.
    ///
    /// - Parameters:
    ///   - layers: The layers to remove them from.
    ///   - isRemoved: Whether to remove the image of a key; called on any thread.
    /// - Throws: ``DiskCacheError`` if a store fails; the other layers have removed them all the same.
    public func removeAll(
        from layers: Set<Layer> = [.memory, .disk],
        where isRemoved: @escaping @Sendable (ImageKey) -> Bool
    ) async throws {
        try await removeAll(from: layers, where: isRemoved) { _ in }
    }

    /// Removes matching images and reports each key found; more than once if several layers have it.
    ///
    /// Without `revokesLoads` running loads may store their results: those of newer content.
    package func removeAll(
        from layers: Set<Layer> = [.memory, .disk],
        revokesLoads: Bool = true,
        where isRemoved: @escaping @Sendable (ImageKey) -> Bool,
        onFind: @escaping @Sendable (ImageKey) -> Void
    ) async throws {
        let isRemovedHere: @Sendable (ImageKey) -> Bool = { key in
            guard isRemoved(key) else { return false }
            onFind(key)
            return true
        }
        let emptiesStores = layers.contains(.disk)
        let change = changes.begin(
            .keys(where: isRemoved),
            emptiesStores: emptiesStores,
            isRevocation: emptiesStores && revokesLoads
        )
        if layers.contains(.memory) { memory.removeAll(where: isRemovedHere) }
        guard layers.contains(.disk) else { return changes.end(change) }
        // Images being stored are removed in the turns of their keys. Such a turn may hang: it must neither
        // delay other stores nor hide other images.
        let removals = turns.busyKeys.filter(isRemoved).map { key in
            (key, changes.begin(.key(key), emptiesStores: true, isRevocation: false))
        }
        let failure = await withTaskGroup(of: (any Error)?.self) { group in
            for (key, change) in removals {
                group.addTask {
                    await Self.failure { try await self.removeFromStores(key, change, onFind: onFind) }
                }
            }
            group.addTask {
                defer { self.changes.end(change) }
                return await Self.failure {
                    try await self.forEachWritableStore { store in
                        try await store.removeBlobs { isRemovedHere(ImageKey($0)) }
                    }
                }
            }
            return await group.reduce(nil) { $0 ?? $1 }
        }
        if let failure { throw failure }
    }

    private static func failure(of body: () async throws -> Void) async -> (any Error)? {
        do {
            try await body()
            return nil
        } catch {
            return error
        }
    }

    /// Renews an entry in the nearest writable store that has it, with a new date and new metadata, unless
    /// another load than the one with the ticket has stored other bytes since that began.
    ///
    /// - Throws: ``DiskCacheError``.
    package func renew(_ key: ImageKey, options: BlobOptions, ticket: LoadTicket) async throws {
        guard let first = storeToWrite else { return }
        try await turns.inTurn(.key(key)) {
            guard ticket.mayRenew else { return }
            for store in first.isWritable ? stores.filter(\.isWritable) : [first] {
                if try await store.renewBlob(forKey: key.rawValue, options: options) { return }
            }
        }
    }

    /// Removes expired images from memory and the stores.
    ///
    /// - Throws: ``DiskCacheError`` if a store fails; the others have been processed all the same.
    public func removeExpired() async throws {
        memory.removeExpired()
        try await forEachWritableStore { try await $0.removeExpired() }
    }

    /// Returns the contents of a layer: for memory the images with their cost, for the stores the entries
    /// with their file sizes, summed over all stores.
    ///
    /// - Throws: ``DiskCacheError`` if a store fails.
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

    /// Calls `body` for each store, even after a failure, and throws the first failure at the end.
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
