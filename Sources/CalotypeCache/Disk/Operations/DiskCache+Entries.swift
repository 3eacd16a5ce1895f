import CalotypeCore
import CalotypeSupport
import FoundationEssentials

/// What a read found out.
package enum DiskReadResult: Sendable {
    case found(Blob)
    case missing
    case damaged(FileIdentity)

    /// The blob, where there is one.
    package var blob: Blob? {
        if case .found(let blob) = self { blob } else { nil }
    }
}

/// The work on single entries; all of it blocks.
extension DiskCache {
    enum StagedLookup {
        case found(Blob)
        case absent
        /// The file is to be asked, in which way.
        case unknown(CachedReads)
        /// The file is to be asked in the key's turn: a change is under way, or the directory is not open
        /// yet.
        case notYet
    }

    /// What writes in flight say of a key.
    func lookUpStaged(_ name: EntryName, key: String) throws(DiskCacheError) -> StagedLookup {
        let (isClosed, rules, cachedReads) = front.withLock { ($0.isClosed, $0.rules, $0.cachedReads) }
        guard !isClosed else { throw .closed }
        switch shards[name.folderIndex].state.withLock({ $0.staged.content(name) }) {
        case nil: return rules == nil ? .notYet : .unknown(cachedReads)
        case .changing: return .notYet
        case .nothing: return .absent
        case .blob(var blob, let stagedKey, let expiry):
            guard stagedKey.utf8.elementsEqual(key.utf8) else { return .absent }
            let now = configuration.timeSource.now()
            let written = blob.writtenAt
            blob.expiresAt = rules?.expiryDate(own: expiry, writtenAt: written, accessedAt: now, now: now)
            if let date = blob.expiresAt, date <= now { return .absent }
            return .found(blob)
        }
    }

    /// Reads an entry on the calling thread, checks it, and counts what came of it.
    ///
    /// The file of a damaged entry is left to the caller, who removes it in the key's turn.
    package func read(_ name: EntryName, key: String) throws(DiskCacheError) -> DiskReadResult {
        let outcome: ReadOutcome
        do {
            outcome = try reader.read(name, key: key)
        } catch {
            throw DiskCacheError(error, path: layout.path(of: name))
        }
        return result(of: outcome, name)
    }

    /// Reads an entry on a thread that may wait, and finds out whether others need not where nobody knows.
    func read(
        _ name: EntryName,
        key: String,
        trying cachedReads: CachedReads
    ) throws(DiskCacheError) -> DiskReadResult {
        guard cachedReads == .untried, let result = readCached(name, key: key) else {
            return try read(name, key: key)
        }
        if case .found = result { front.withLock { $0.cachedReads = .possible } }
        return result
    }

    /// Reads an entry as ``read(_:key:)`` does without waiting for anything; `nil` where that cannot be done.
    ///
    /// Any error is left to a thread that may wait: it tries again, and has the last word.
    func readCached(_ name: EntryName, key: String) -> DiskReadResult? {
        do {
            return result(of: try reader.readCached(name, key: key), name)
        } catch {
            if error.errorNumber == EOPNOTSUPP { front.withLock { $0.cachedReads = .impossible } }
            return nil
        }
    }

    /// Counts what came of a read.
    private func result(of outcome: ReadOutcome, _ name: EntryName) -> DiskReadResult {
        switch outcome {
        case .missing:
            front.withLock { $0.statistics.missCount += 1 }
            return .missing
        case .damaged(_, let identity):
            front.withLock { front in
                front.statistics.missCount += 1
                front.statistics.damagedCount += 1
            }
            return .damaged(identity)
        case .found(let entry):
            return judge(entry, name)
        }
    }

    /// Whether an entry is in time: a hit, or a miss that leaves the file for ``removeExpired()``.
    private func judge(_ entry: StoredEntry, _ name: EntryName) -> DiskReadResult {
        let now = configuration.timeSource.now()
        let (rules, order) = front.withLock { ($0.rules, $0.clock.next(now)) }
        let record = entry.record
        let isTimeToWriteUses = shards[name.folderIndex].state.withLock { shard -> Bool? in
            let accessedAt = shard.accessDate(of: entry, name)
            if let date = rules?.expiryDate(of: record, accessedAt: accessedAt, now: now), date <= now {
                return nil
            }
            return shard.didUse(name, at: now, order: order, expiry: record.expiry)
        }
        front.withLock { $0.statistics.countRead(isInTime: isTimeToWriteUses != nil) }
        guard let isTimeToWriteUses else { return .missing }
        if isTimeToWriteUses { pool.enqueue { self.writeUses(inFolderAt: name.folderIndex) } }
        return .found(
            Blob(
                data: entry.payload,
                metadata: record.metadata,
                writtenAt: record.writtenAt,
                expiresAt: rules?.expiryDate(of: record, accessedAt: now, now: now)
            )
        )
    }

    /// When an entry was last used, as far as anybody knows, and when it stops being served.
    func dates(of entry: StoredEntry, _ name: EntryName) -> (accessedAt: Timestamp, expiresAt: Timestamp?) {
        let now = configuration.timeSource.now()
        let rules = front.withLock(\.rules)
        let accessedAt = shards[name.folderIndex].state.withLock { $0.accessDate(of: entry, name) }
        return (
            min(accessedAt, now), rules?.expiryDate(of: entry.record, accessedAt: accessedAt, now: now)
        )
    }

    func isExpired(_ entry: StoredEntry, _ name: EntryName) -> Bool {
        guard let date = dates(of: entry, name).expiresAt else { return false }
        return date <= configuration.timeSource.now()
    }

    /// Removes the file that was found damaged, in the key's turn, unless a newer one has taken its place.
    func removeDamaged(_ name: EntryName, _ identity: FileIdentity) async {
        do {
            try await perform(.key(name)) { cache in
                cache.removeCounting(name, ifStill: identity)
            }
        } catch {
            // Closed meanwhile: the file stays a miss, and the next cache to read it removes it.
        }
    }

    /// Removes an entry if it is still the same file; a failure is counted and leaves it for the next time.
    ///
    /// Where another file stands there now, it is taken in.
    @discardableResult
    func removeCounting(_ name: EntryName, ifStill identity: FileIdentity) -> Bool {
        do {
            switch try remover.remove(name, ifStill: identity) {
            case .removed:
                state.withLock { $0.didRemove(name, isOwn: true) }
                return true
            case .absent: state.withLock { $0.didRemove(name, isOwn: false) }
            case .replaced(let status): takeIn(name, status)
            }
        } catch {
            front.withLock { $0.statistics.maintenanceFailureCount += 1 }
        }
        return false
    }

    func removeEntry(_ name: EntryName) throws(DiskCacheError) -> Bool {
        do {
            let isRemoved = try remover.remove(name)
            state.withLock { $0.didRemove(name, isOwn: isRemoved) }
            return isRemoved
        } catch {
            throw DiskCacheError(error, path: layout.path(of: name))
        }
    }

    func checkLimits(key: String, metadata: Data) throws(DiskCacheError) {
        guard key.utf8.count <= EntryRecord.keyByteCountMax else {
            throw DiskCacheError(
                code: .keyTooLong,
                detail:
                    "a key of \(key.utf8.count) bytes, more than \(EntryRecord.keyByteCountMax); shorten it"
            )
        }
        guard metadata.count <= EntryRecord.metadataByteCountMax else {
            throw DiskCacheError(
                code: .metadataTooLarge,
                detail: "\(metadata.count) bytes of metadata, more than \(EntryRecord.metadataByteCountMax)"
            )
        }
    }
}

extension DiskRules {
    /// When an entry stops being served by what its record says; `nil` for never.
    func expiryDate(of record: EntryRecord, accessedAt: Timestamp, now: Timestamp) -> Timestamp? {
        expiryDate(own: record.expiry, writtenAt: record.writtenAt, accessedAt: accessedAt, now: now)
    }
}

extension DiskStatistics {
    /// Counts a read that found an entry.
    fileprivate mutating func countRead(isInTime: Bool) {
        if isInTime {
            hitCount += 1
        } else {
            missCount += 1
            expiredCount += 1
        }
    }
}
