import CalotypeSupport

/// How work gets its turn and its thread.
extension DiskCache {
    /// Runs work on a thread of the pool in its turn; the turn is taken at the moment of the call.
    ///
    /// Where the budget of bytes that wait to be written is used up, that moment comes later, and so it does
    /// for all that is issued behind it.
    ///
    /// - Parameters:
    ///   - turn: The key the work changes, or everything.
    ///   - content: What reads of the key see until the work has ended.
    ///   - byteCount: What the work holds in memory.
    ///   - work: Blocks; runs once, whatever becomes of the caller.
    /// - Returns: What the work returns.
    /// - Throws: What the work throws, or that the cache has been closed.
    @discardableResult
    func perform<Value: Sendable>(
        _ turn: DiskCacheState.Queue.Turn,
        staging content: StagedWrites.Content? = nil,
        byteCount: Int = 0,
        _ work: @escaping @Sendable (DiskCache) throws(DiskCacheError) -> Value
    ) async throws(DiskCacheError) -> Value {
        let result: Result<Value, DiskCacheError> = await handedOver { handOver in
            let ticket = Guarded<Int?>(nil)
            let isIssued = issue(
                turn,
                byteCount: byteCount,
                { state in
                    guard let content, case .key(let name) = turn else { return }
                    let staged = state.shards[name.folderIndex].state.withLock {
                        $0.staged.stage(content, as: name)
                    }
                    ticket.withLock { $0 = staged }
                },
                { cache in
                    let result = Result { () throws(DiskCacheError) in
                        try cache.throwIfRefused()
                        return try work(cache)
                    }
                    if case .key(let name) = turn, let ticket = ticket.withLock({ $0 }) {
                        cache.shards[name.folderIndex].state.withLock { $0.staged.end(ticket, of: name) }
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
    ///   - byteCount: What the work holds in memory.
    ///   - closes: Whether nothing is to be issued after this.
    ///   - note: Changes the state at the moment the turn is asked for.
    ///   - work: Blocks; returns what tells the caller, which is called once the turn has ended.
    /// - Returns: Whether the work will run; it does not where the cache has been closed.
    @discardableResult
    func issue(
        _ turn: DiskCacheState.Queue.Turn,
        byteCount: Int = 0,
        closes: Bool = false,
        _ note: @escaping @Sendable (inout DiskCacheState) -> Void,
        _ work: @escaping @Sendable (DiskCache) -> @Sendable () -> Void
    ) -> Bool {
        let starts = state.withLock { state -> [DiskCacheState.Queue.Start]? in
            guard !state.isClosed else { return nil }
            state.isClosed = closes
            let entry: @Sendable (inout DiskCacheState) -> [DiskCacheState.Queue.Start] = { state in
                note(&state)
                return state.queue.append(
                    {
                        let reply = work(self)
                        self.giveBack(byteCount)
                        return reply
                    },
                    for: turn
                )
            }
            return state.enter(state.line.append(entry, byteCount: byteCount))
        }
        guard let starts else { return false }
        start(starts)
        return true
    }

    /// Lets those in who wait for room.
    private func giveBack(_ byteCount: Int) {
        guard byteCount > 0 else { return }
        start(state.withLock { state in state.enter(state.line.giveBack(byteCount: byteCount)) })
    }

    /// Ends a turn that was reserved for an eviction.
    func endReservedTurn(_ name: EntryName) {
        start(state.withLock { $0.queue.finish(.key(name)) })
    }

    private func start(_ starts: [DiskCacheState.Queue.Start]) {
        for start in starts {
            pool.enqueue { [self] in
                let reply = start.work()
                self.start(state.withLock { $0.queue.finish(start.turn) })
                // While a barrier runs nothing can leave; what came up meanwhile leaves now.
                if start.turn == .barrier { maintain() }
                reply()
            }
        }
    }
}

extension DiskCacheState {
    fileprivate mutating func enter(
        _ entries: [@Sendable (inout DiskCacheState) -> [Queue.Start]]
    ) -> [Queue.Start] {
        var starts: [Queue.Start] = []
        for entry in entries { starts += entry(&self) }
        return starts
    }
}
