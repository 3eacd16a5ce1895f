internal import CalotypeCache
internal import CalotypeCodecs
internal import CalotypeCore
internal import CalotypeLoading
internal import FoundationEssentials

/// What passes between the pipeline and the byte stores; no failure of theirs is a failure of the load.
extension ImagePipeline {
    /// What the stores have for a key; `nil` where they have nothing, or cannot be read while loading is
    /// allowed.
    ///
    /// - Throws: ``LoadError`` of the stage `cache`.
    func storedBlob(_ key: ImageKey, of request: ImageRequest) async throws -> Blob? {
        var failureCount = 0
        do {
            return try await step(
                .cache,
                of: request,
                storeFailureCount: { failureCount },
                byteCount: { $0?.data.count ?? 0 }
            ) {
                let found = try await stages.storeReads.answer { [cache] in
                    try await cache.storedBlob(for: key)
                }
                guard let stored = found else { return nil }
                failureCount = stored.failures.count
                for failure in stored.failures {
                    notifyStoreFailure(LoadError(stage: .cache, underlying: failure), request)
                }
                var blob = stored.blob
                if let serializer = serializer(for: request) {
                    blob.data = try await codecPool.run { [data = blob.data] in
                        try serializer.deserialize(data, for: request)
                    }
                }
                return blob
            }
        } catch let error as LoadError where request.cachePolicy.allowsLoading {
            // A store that cannot be read is no reason to fail where the bytes can be loaded.
            notifyStoreFailure(error, request)
            return nil
        }
    }

    /// Writes bytes to their store; a failure is told to the observers and returned, never thrown.
    ///
    /// - Parameters:
    ///   - data: The bytes.
    ///   - key: What they are kept under.
    ///   - request: What they were loaded for.
    ///   - image: What they decode to, where somebody looks at that.
    ///   - metadata: What is kept beside them.
    ///   - ticket: That of the load that they come from.
    ///   - onPlaced: Called as soon as a removal that is asked for later cannot be ahead of the write.
    /// - Returns: Why they could not be written.
    func store(
        _ data: Data,
        for key: ImageKey,
        of request: ImageRequest,
        decodedTo image: Image? = nil,
        metadata: Data = Data(),
        ticket: LoadTicket,
        onPlaced: () -> Void = {}
    ) async -> LoadError? {
        await storing(request) {
            try await step(.store, of: request, byteCount: { data.count }) {
                let options = BlobOptions(metadata: metadata, expiry: request.expiry.disk)
                try await cache.store(for: key, options: options, ticket: ticket, onPlaced: onPlaced) {
                    guard let serializer = serializer(for: request) else { return data }
                    return try await codecPool.run {
                        try serializer.serialize(data, decodedTo: image, for: request)
                    }
                }
            }
        }
    }

    /// The right to hold bytes until they are written.
    ///
    /// - Parameters:
    ///   - byteCount: How many.
    ///   - request: What they were loaded for: one that waits for the store waits for room as well.
    ///   - priority: How urgent it is.
    ///   - beforeWaiting: Called where there is no room yet.
    /// - Returns: The right; `nil`, which the observers are told, where the bytes are not kept.
    /// - Throws: `CancellationError`.
    func leaseToWrite(
        _ byteCount: Int,
        for request: ImageRequest,
        _ priority: LivePriority,
        beforeWaiting: () -> Void = {}
    ) async throws -> ByteBudget.Lease? {
        if let lease = stages.writing.leaseAtOnce(byteCount) { return lease }
        guard request.waitsForStore else {
            notifyStoreFailure(.storeBusy, request)
            return nil
        }
        beforeWaiting()
        return try await stages.writing.lease(byteCount, priority)
    }

    /// Gives an entry a new date and other metadata; a failure is told to the observers.
    func renew(_ key: ImageKey, of request: ImageRequest, metadata: Data) async {
        _ = await storing(request) {
            try await step(.store, of: request, byteCount: { _ in metadata.count }) {
                let options = BlobOptions(metadata: metadata, expiry: request.expiry.disk)
                try await cache.renew(key, options: options)
            }
        }
    }

    /// Removes an entry that is no image.
    func removeDamaged(_ key: ImageKey, of request: ImageRequest) async {
        guard request.cachePolicy.original.writes else { return }
        await removing(request) { [cache] in try await cache.removeDamaged(key) }
    }

    /// Removes something, whether or not the load has been cancelled; a store that takes too long is not
    /// waited for, and a failure is told to the observers.
    func removing(_ request: ImageRequest, _ body: @escaping @Sendable () async throws -> Void) async {
        let writes = stages.storeWrites
        // In a task of its own, which nobody cancels.
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

extension LoadError {
    /// A store that is too slow for what it is given.
    static let storeBusy = LoadError(stage: .store, underlying: StoreBusyError())
}

/// More waits to be written than may be held.
struct StoreBusyError: CodedError, CustomStringConvertible {
    var codeLabel: String { "storeBusy" }

    var fault: Fault { .limit }

    var description: String {
        "storeBusy: earlier writes to the store are pending; this write was skipped, or not waited for"
    }
}
