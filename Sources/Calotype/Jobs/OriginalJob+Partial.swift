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

    /// What an earlier load has left of a place.
    func partialBody(of place: Place) async throws -> PartialBody? {
        guard let store = partialStore(for: place) else { return nil }
        do {
            let found = try await pipeline.stages.storeReads.answer { [key] in
                try await store.blob(forKey: key.rawValue)
            }
            guard let blob = found else { return nil }
            let partial = PartialBody(blob.data, metadata: blob.metadata)
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

    /// The head of the answer, of which an earlier load has left the beginning; `nil` where it has not.
    func answer(
        to fetch: FetchRequest,
        after partial: PartialBody?,
        isImpatient: Bool
    ) async throws -> FetchResponse? {
        guard let partial, let rest = partial.continuing(fetch) else {
            return try await answer(to: fetch, isImpatient: isImpatient)
        }
        do {
            let response = try await answer(to: rest, isImpatient: isImpatient)
            return try partial.whole(response, to: fetch)
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
        let reads = pipeline.stages.storeReads
        // In a task of its own, which nobody cancels.
        do { try await Task { try await reads.answer(body) }.value } catch { notify(error) }
    }

    private func notify(_ error: any Error) {
        pipeline.notifyStoreFailure(LoadError(stage: .store, underlying: error), request)
    }
}
