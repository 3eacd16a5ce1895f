import CalotypeSupport

/// How work gets its turn and its thread.
extension DiskCache {
    /// Runs work on a thread of the pool in its turn; the turn is taken at the moment of the call.
    ///
    /// - Parameters:
    ///   - turn: The key the work changes, or everything.
    ///   - content: What reads of the key see until the work has ended.
    ///   - work: Blocks; runs once, whatever becomes of the caller.
    /// - Returns: What the work returns.
    /// - Throws: What the work throws, or that the cache has been closed.
    @discardableResult
    func perform<Value: Sendable>(
        _ turn: KeyedQueue<EntryName, DiskCacheState.Work>.Turn,
        staging content: StagedWrites.Content? = nil,
        _ work: @escaping @Sendable (DiskCache) throws(DiskCacheError) -> Value
    ) async throws(DiskCacheError) -> Value {
        let result: Result<Value, DiskCacheError> = await handedOver { handOver in
            let ticket = Guarded<Int?>(nil)
            let isIssued = issue(
                turn,
                { state in
                    guard let content, case .key(let name) = turn else { return }
                    let staged = state.staged.stage(content, as: name)
                    ticket.withLock { $0 = staged }
                },
                { cache in
                    let result = Result { () throws(DiskCacheError) in
                        try cache.throwIfRefused()
                        return try work(cache)
                    }
                    if case .key(let name) = turn, let ticket = ticket.withLock({ $0 }) {
                        cache.state.withLock { $0.staged.end(ticket, of: name) }
                    }
                    return { handOver(result) }
                }
            )
            if !isIssued { handOver(.failure(.closed)) }
        }
        return try result.get()
    }

    /// Asks for a turn without waiting for it.
    ///
    /// - Parameters:
    ///   - turn: The key the work changes, or everything.
    ///   - note: Changes the state at the moment the turn is asked for.
    ///   - work: Blocks; returns what tells the caller, which is called once the turn has ended.
    /// - Returns: Whether the work will run; it does not where the cache has been closed.
    @discardableResult
    func issue(
        _ turn: KeyedQueue<EntryName, DiskCacheState.Work>.Turn,
        _ note: (inout DiskCacheState) -> Void,
        _ work: @escaping @Sendable (DiskCache) -> @Sendable () -> Void
    ) -> Bool {
        let starts = state.withLock { state -> [KeyedQueue<EntryName, DiskCacheState.Work>.Start]? in
            guard !state.isClosed else { return nil }
            note(&state)
            return state.queue.append({ work(self) }, for: turn)
        }
        guard let starts else { return false }
        start(starts)
        return true
    }

    /// Ends a turn that was reserved for an eviction.
    func endReservedTurn(_ name: EntryName) {
        start(state.withLock { $0.queue.finish(.key(name)) })
    }

    private func start(_ starts: [KeyedQueue<EntryName, DiskCacheState.Work>.Start]) {
        for start in starts {
            pool.enqueue { [self] in
                let reply = start.work()
                let (next, evicted) = state.withLock { state in
                    // While a barrier runs nothing can be evicted; what came up meanwhile leaves now.
                    (state.queue.finish(start.turn), start.turn == .barrier ? state.planEviction() : [])
                }
                self.start(next)
                removeEvicted(evicted)
                reply()
            }
        }
    }
}
