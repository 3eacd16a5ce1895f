internal import CalotypeCache
internal import CalotypeLoading
internal import FoundationEssentials

/// Partial bodies of interrupted loads, stored for a later load.
extension OriginalJob {
    /// Returns the store for partial bodies of a place; `nil` if they are not stored.
    private func partialStore(for place: Place) -> (any ByteStore)? {
        // A serializer may exist to hide stored content, and handles whole images only.
        guard place.isOwn, request.isRemote, request.cachePolicy.original.writes,
            stages.settings.serializer(for: request) == nil
        else { return nil }
        return stages.configuration.partialStore
    }

    /// Returns the partial body that an earlier load of a place has stored.
    func partialBody(of place: Place) async throws -> PartialBody? {
        // The bytes are read later, within a budget.
        guard let store = partialStore(for: place),
            let info = try await answer(of: { [key] in try await store.blobInfo(forKey: key.rawValue) })
        else { return nil }
        let partial = PartialBody(byteCount: info.byteCount, metadata: info.metadata)
        // The entry is from an older version, or damaged.
        if partial == nil { forgetPartial(of: place) }
        return partial
    }

    private func partialBlob(in store: any ByteStore) async throws -> Blob? {
        try await answer { [key] in try await store.blob(forKey: key.rawValue) }
    }

    /// Queries the store; `nil` if it fails, of which observers are notified.
    private func answer<Value: Sendable>(
        of query: @escaping @Sendable () async throws -> Value?
    ) async throws -> Value? {
        do {
            return try await stages.limits.partials.answer(query)
        } catch let error as CancellationError {
            throw error
        } catch {
            notify(error)
            return nil
        }
    }

    /// Requests a response that continues a stored partial body; `nil` if the origin does not continue it.
    ///
    /// The partial body is read again with the rest: it is not held while the response is awaited.
    ///
    /// Sets `storedByteCount` to the number of bytes at the beginning that are read from the store.
    func response(
        to fetch: FetchRequest,
        after partial: PartialBody?,
        of place: Place,
        isImpatient: Bool,
        storedByteCount: inout Int
    ) async throws -> FetchResponse? {
        guard let partial, let rest = partial.continuing(fetch), let store = partialStore(for: place) else {
            return try await response(to: fetch, isImpatient: isImpatient)
        }
        do {
            let response = try await response(to: rest, isImpatient: isImpatient)
            if response.status == 206 { storedByteCount = partial.byteCount }
            return try partial.whole(response, to: fetch) { [self] in
                try await bytes(of: partial, in: store)
            }
        } catch let error as FetchError where error.status == 416 || error.status == 412 {
            return nil
        } catch let error as FetchError where error.code == .invalidRequest {
            // Middleware rejects requests for a part.
            return nil
        }
    }

    /// Returns the bytes of a partial body; `nil` if they have changed, or cannot be read.
    private func bytes(of partial: PartialBody, in store: any ByteStore) async throws -> Data? {
        let permit = try await stages.limits.partialReading.enter(context.priority)
        defer { permit.end() }
        guard let blob = try await partialBlob(in: store),
            PartialBody(byteCount: blob.data.count, metadata: blob.metadata) == partial
        else { return nil }
        return blob.data
    }

    /// Stores the received part of a body that broke off, unless too much waits to be written.
    func keepPartial(_ data: Data, of response: FetchResponse, to fetch: FetchRequest, _ place: Place) async {
        guard let store = partialStore(for: place), !ticket.isRevoked,
            let partial = PartialBody(data, of: response, to: fetch), let metadata = partial.metadata
        else { return }
        guard let room = stages.limits.writing.leaseAtOnce(data.count) else {
            return stages.notifyStoreFailure(.storeBusy, request)
        }
        await stages.removing(request, by: stages.limits.partials) { [key, ticket] in
            defer { room.end() }
            try await store.store(data, forKey: key.rawValue, options: BlobOptions(metadata: metadata))
            // A removal in between has not seen the entry.
            if ticket.isRevoked { try await store.removeBlob(forKey: key.rawValue) }
        }
    }

    /// Removes the partial body, for whose store no response waits: the whole body has arrived, or the part
    /// is of no use.
    func forgetPartial(of place: Place) {
        guard let store = partialStore(for: place) else { return }
        Task { [stages, request, key] in
            await stages.removing(request, by: stages.limits.partials) {
                try await store.removeBlob(forKey: key.rawValue)
            }
        }
    }

    private func notify(_ error: any Error) {
        stages.notifyStoreFailure(LoadError(stage: .store, underlying: error), request)
    }
}
