internal import CalotypeCache
internal import CalotypeCodecs
internal import CalotypeCore
internal import CalotypeLoading
internal import FoundationEssentials

/// Access to the byte stores; a failure of a store is never a failure of the load.
extension Stages {
    /// Returns the stored entry for a key; `nil` if there is none, or the stores cannot be read and loading
    /// is allowed.
    ///
    /// - Parameters:
    ///   - key: The key of the entry.
    ///   - load: The load.
    ///   - gate: The gate of the read, which is left before the bytes are deserialized.
    ///   - mayHold: Returns whether so many bytes may be held; if not, they are released and the result is
    ///     `nil`.
    /// - Returns: The entry with its bytes, deserialized.
    /// - Throws: ``LoadError`` of the stage `cache`.
    func storedBlob(
        _ key: ImageKey,
        for load: LoadContext,
        through gate: AdmissionGate,
        mayHold: (_ byteCount: Int) -> Bool = { _ in true }
    ) async throws -> Blob? {
        let request = load.request
        var failureCount = 0
        do {
            return try await step(
                .cache,
                of: request,
                storeFailureCount: { failureCount },
                byteCount: { $0?.data.count ?? 0 }
            ) {
                guard !cache.stores.isEmpty else { return nil }
                let permit = try await gate.enter(load.priority)
                let found = try await limits.storeReads.answer { [cache] in
                    try await cache.storedBlob(for: key)
                }
                permit.end()
                guard let stored = found, mayHold(stored.blob.data.count) else { return nil }
                failureCount = stored.failures.count
                for failure in stored.failures {
                    notifyStoreFailure(LoadError(stage: .cache, underlying: failure), request)
                }
                var blob = stored.blob
                if let serializer = settings.serializer(for: request) {
                    blob.data = try await codecPool.run { [data = blob.data] in
                        try serializer.deserialize(data, for: request)
                    }
                }
                return blob
            }
        } catch let error as LoadError where request.cachePolicy.allowsLoading {
            // An unreadable store must not fail the load if the bytes can be loaded.
            notifyStoreFailure(error, request)
            return nil
        }
    }

    /// Returns the HTTP record of an entry; `nil` if there is none, or the stores cannot be queried.
    func storedRecord(_ key: ImageKey) async -> ResponseRecord? {
        do {
            return try await storedInfo(key).flatMap { ResponseRecord(encoded: $0.metadata) }
        } catch {
            return nil
        }
    }

    /// Returns the information of an entry, without its bytes; `nil` if there is none.
    ///
    /// - Throws: The error of a store, ``StoreSlowError``, or `CancellationError`.
    func storedInfo(_ key: ImageKey) async throws -> BlobInfo? {
        try await limits.storeReads.answer { [cache] in try await cache.blobInfo(for: key) }
    }

    /// True if a store has an entry, whatever its age.
    ///
    /// - Throws: ``LoadError`` if a store cannot be queried, or `CancellationError`.
    func isStored(_ key: ImageKey) async throws -> Bool {
        do {
            return try await limits.storeReads.answer { [cache] in
                try await cache.contains(key, in: .disk)
            }
        } catch let error as CancellationError {
            throw error
        } catch {
            throw LoadError(stage: .cache, underlying: error)
        }
    }

    /// Writes bytes to their store; a failure is reported to the observers and returned, never thrown.
    ///
    /// - Parameters:
    ///   - data: The bytes.
    ///   - key: The key of the bytes.
    ///   - request: The request that the bytes were loaded for.
    ///   - image: The decoded image, for a serializer that uses it.
    ///   - metadata: The metadata to store with the bytes.
    ///   - ticket: The ticket of the load.
    ///   - onPlaced: Called as soon as a later removal can no longer precede the write.
    ///   - beforeWrite: Called right before the write, which replaces the entry of the key.
    /// - Returns: The error of the write, if it failed.
    func store(
        _ data: Data,
        for key: ImageKey,
        of request: ImageRequest,
        decodedTo image: Image? = nil,
        metadata: Data = Data(),
        ticket: LoadTicket,
        onPlaced: () -> Void = {},
        beforeWrite: () async -> Void = {}
    ) async -> LoadError? {
        await storing(request) {
            try await step(.store, of: request, byteCount: { data.count }) {
                let options = BlobOptions(metadata: metadata, expiry: request.expiry.disk)
                try await cache.store(for: key, options: options, ticket: ticket, onPlaced: onPlaced) {
                    await beforeWrite()
                    guard let serializer = settings.serializer(for: request) else { return data }
                    return try await codecPool.run {
                        try serializer.serialize(data, decodedTo: image, for: request)
                    }
                }
            }
        }
    }

    /// Leases bytes until they are written.
    ///
    /// A load waits no longer than its callers do: beside a hanging store its bytes would be held forever.
    ///
    /// - Parameters:
    ///   - byteCount: The number of bytes, without the overhead of a write.
    ///   - load: The load: one that waits for the store also waits for the budget.
    ///   - beforeWaiting: Called if the lease has to wait for the budget.
    /// - Returns: The lease; `nil` if the bytes are not stored, of which observers are notified.
    /// - Throws: `CancellationError`.
    func leaseToWrite(
        _ byteCount: Int,
        for load: LoadContext,
        beforeWaiting: () -> Void = {}
    ) async throws -> ByteBudget.Lease? {
        let byteCount = byteCount + Self.writeOverhead
        if let lease = limits.writing.leaseAtOnce(byteCount) { return lease }
        guard load.request.waitsForStore else {
            notifyStoreFailure(.storeBusy, load.request)
            return nil
        }
        beforeWaiting()
        // A longer time would overflow the clock.
        let limit = min(settings.timeout(of: load.request), .seconds(1 << 32))
        do {
            return try await withTimeLimit(limit, failure: { LoadError.storeBusy }) { [limits] in
                try await limits.writing.lease(byteCount, load.priority)
            }
        } catch let error as LoadError {
            notifyStoreFailure(error, load.request)
            return nil
        }
    }

    /// The approximate memory of a waiting write beside its bytes: its task, its keys and its record.
    private static let writeOverhead = 8 << 10

    /// Gives an entry a new date and new metadata; a failure is reported to the observers.
    func renew(_ key: ImageKey, of request: ImageRequest, options: BlobOptions, ticket: LoadTicket) async {
        _ = await storing(request) {
            try await step(.store, of: request, byteCount: { _ in options.metadata.count }) {
                try await cache.renew(key, options: options, ticket: ticket)
            }
        }
    }

    /// Removes an entry that is not an image.
    func removeDamaged(_ key: ImageKey, of request: ImageRequest) async {
        guard request.cachePolicy.original.writes else { return }
        await removing(request) { [cache] in try await cache.removeDamaged(key) }
    }

    /// Runs a removal even if the load is cancelled.
    ///
    /// A store that takes too long is not waited for, and a failure is reported to the observers.
    func removing(
        _ request: ImageRequest,
        by writes: StoreQueries? = nil,
        _ body: @escaping @Sendable () async throws -> Void
    ) async {
        let writes = writes ?? limits.storeWrites
        // In a separate task, which is never cancelled.
        _ = await storing(request) { try await Task { try await writes.answer(body) }.value }
    }

    private func storing(_ request: ImageRequest, _ body: () async throws -> Void) async -> LoadError? {
        do {
            try await body()
            return nil
        } catch {
            let failure = error as? LoadError ?? LoadError(stage: .store, underlying: error)
            notifyStoreFailure(failure, request)
            return failure
        }
    }
}
