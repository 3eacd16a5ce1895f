internal import CalotypeCache
internal import CalotypeLoading
internal import FoundationEssentials

/// Bodies that broke off, kept for a later load.
extension OriginalJob {
    /// Where bodies of a place that broke off are kept; `nil` where none are.
    private func partialStore(for place: Place) -> (any ByteStore)? {
        // A serializer may be there to hide what is kept, and knows whole images only.
        guard place.isOwn, request.isRemote, request.cachePolicy.original.writes,
            pipeline.serializer(for: request) == nil
        else { return nil }
        return pipeline.configuration.partialStore
    }

    /// The beginning of a body that an earlier load of a place has left.
    func partialBody(of place: Place) async throws -> PartialBody? {
        guard let store = partialStore(for: place) else { return nil }
        do {
            guard let blob = try await partialBlob(in: store) else { return nil }
            let partial = PartialBody(byteCount: blob.data.count, metadata: blob.metadata)
            // It is of an earlier version, or damaged.
            if partial == nil { await forgetPartial(of: place) }
            return partial
        } catch let error as CancellationError {
            throw error
        } catch {
            notify(error)
            return nil
        }
    }

    private func partialBlob(in store: any ByteStore) async throws -> Blob? {
        try await pipeline.stages.storeReads.answer { [key] in try await store.blob(forKey: key.rawValue) }
    }

    /// The head of the answer, of which an earlier load has left the beginning; `nil` where it has not.
    ///
    /// The beginning is read again when the body is: it is not held while the head is awaited.
    func answer(
        to fetch: FetchRequest,
        after partial: PartialBody?,
        of place: Place,
        isImpatient: Bool
    ) async throws -> FetchResponse? {
        guard let partial, let rest = partial.continuing(fetch), let store = partialStore(for: place) else {
            return try await answer(to: fetch, isImpatient: isImpatient)
        }
        do {
            let response = try await answer(to: rest, isImpatient: isImpatient)
            return try partial.whole(response, to: fetch) { [self] in
                guard let blob = try await partialBlob(in: store),
                    PartialBody(byteCount: blob.data.count, metadata: blob.metadata) == partial
                else { return nil }
                return blob.data
            }
        } catch let error as FetchError where error.status == 416 || error.status == 412 {
            return nil
        }
    }

    /// Keeps what has come of a body that broke off, unless too much waits to be written.
    func keepPartial(_ data: Data, of response: FetchResponse, to fetch: FetchRequest, _ place: Place) async {
        guard let store = partialStore(for: place), !ticket.isRevoked,
            let partial = PartialBody(data, of: response, to: fetch), let metadata = partial.metadata
        else { return }
        guard let room = pipeline.stages.writing.leaseAtOnce(data.count) else {
            return pipeline.notifyStoreFailure(.storeBusy, request)
        }
        await untilDone { [key, ticket] in
            defer { room.end() }
            try await store.store(data, forKey: key.rawValue, options: BlobOptions(metadata: metadata))
            // A removal that came in between has not found it.
            if ticket.isRevoked { try await store.removeBlob(forKey: key.rawValue) }
        }
    }

    /// Forgets it: there is the whole, or it is of no use.
    func forgetPartial(of place: Place) async {
        guard let store = partialStore(for: place) else { return }
        await untilDone { [key] in try await store.removeBlob(forKey: key.rawValue) }
    }

    /// Does something to its end, whether or not the load has been cancelled; a store that takes too long is
    /// not waited for.
    private func untilDone(_ body: @escaping @Sendable () async throws -> Void) async {
        await pipeline.removing(request, body)
    }

    private func notify(_ error: any Error) {
        pipeline.notifyStoreFailure(LoadError(stage: .store, underlying: error), request)
    }
}
