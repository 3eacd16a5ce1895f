import CalotypeSupport

/// Scheduling of work: turns and threads.
extension DiskCache {
    /// Runs work on a pool thread in its turn; the turn is reserved at the moment of the call.
    ///
    /// If the budget for pending bytes is used up, that moment comes later, also for everything issued after
    /// it.
    ///
    /// - Parameters:
    ///   - turn: The key that the work changes, or everything.
    ///   - content: The state that reads of the key see until the work has ended.
    ///   - byteCount: The bytes that the work holds in memory.
    ///   - work: Blocks; runs once, even if the caller is cancelled.
    /// - Returns: The result of the work.
    /// - Throws: The error of the work, or ``DiskCacheError/Code/closed``.
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

    /// Requests a turn without waiting for it.
    ///
    /// - Parameters:
    ///   - turn: The key that the work changes, or everything.
    ///   - byteCount: The bytes that the work holds in memory.
    ///   - closes: Whether nothing may be issued after this.
    ///   - note: Changes the state at the moment the turn is requested.
    ///   - work: Blocks; returns the reply to the caller, which runs once the turn has ended.
    /// - Returns: Whether the work will run; `false` if the cache has been closed.
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

    /// Returns bytes to the budget and starts the stores that waited for them.
    private func giveBack(_ byteCount: Int) {
        guard byteCount > 0 else { return }
        start(state.withLock { state in state.enter(state.line.giveBack(byteCount: byteCount)) })
    }

    func endReservedTurn(_ name: EntryName) {
        start(state.withLock { $0.queue.finish(.key(name)) })
    }

    private func start(_ starts: [DiskCacheState.Queue.Start]) {
        for start in starts {
            pool.enqueue { [self] in
                let reply = start.work()
                self.start(state.withLock { $0.queue.finish(start.turn) })
                // While a barrier runs nothing can be evicted; evictions due meanwhile happen now.
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
