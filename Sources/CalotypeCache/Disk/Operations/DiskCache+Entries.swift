import CalotypeCore
import CalotypeSupport
import FoundationEssentials

package enum DiskReadResult: Sendable {
    case found(Blob)
    case missing
    case damaged(FileIdentity)

    package var blob: Blob? {
        if case .found(let blob) = self { blob } else { nil }
    }
}

/// Operations on single entries; all of them block.
extension DiskCache {
    enum StagedLookup {
        case found(Blob)
        case absent
        /// Read the file, in this way.
        case unknown(CachedReads)
        /// Read the file in the key's turn: a change is running, or the directory is not open yet.
        case notYet
    }

    /// Returns the state of a key in the writes in flight.
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

    /// Reads an entry on the calling thread, verifies it, and counts the result.
    ///
    /// The caller removes the file of a damaged entry, in the key's turn.
    package func read(_ name: EntryName, key: String) throws(DiskCacheError) -> DiskReadResult {
        let outcome: ReadOutcome
        do {
            outcome = try reader.read(name, key: key)
        } catch {
            throw DiskCacheError(error, path: layout.path(of: name))
        }
        return result(of: outcome, name)
    }

    /// Reads an entry on a thread that may block, and determines whether cached reads work if that is
    /// unknown.
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

    /// Reads an entry as ``read(_:key:)`` does, without waiting for the device; returns `nil` if that is not
    /// possible.
    ///
    /// After any error, a thread that may block tries again and decides.
    func readCached(_ name: EntryName, key: String) -> DiskReadResult? {
        do {
            return result(of: try reader.readCached(name, key: key), name)
        } catch {
            if error.errorNumber == EOPNOTSUPP { front.withLock { $0.cachedReads = .impossible } }
            return nil
        }
    }

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

    /// Returns a hit if the entry has not expired, else a miss that leaves the file for ``removeExpired()``.
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

    /// Returns the time of the last known use of an entry, and when it stops being served.
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

    /// Removes a damaged file in the key's turn, unless a newer one has replaced it.
    func removeDamaged(_ name: EntryName, _ identity: FileIdentity) async {
        do {
            try await perform(.key(name)) { cache in
                cache.removeCounting(name, ifStill: identity)
            }
        } catch {
            // Closed meanwhile: the file stays a miss, and the next cache to read it removes it.
        }
    }

    /// Removes an entry if it is still the same file; a failure is counted, and a later operation retries.
    ///
    /// If another file has replaced it, that file is added to the index.
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
        guard key.utf8.count <= EntryRecord.maxKeyByteCount else {
            throw DiskCacheError(
                .keyTooLong,
                detail:
                    "the key has \(key.utf8.count) bytes, over \(EntryRecord.maxKeyByteCount); shorten it"
            )
        }
        guard metadata.count <= EntryRecord.maxMetadataByteCount else {
            throw DiskCacheError(
                .metadataTooLarge,
                detail: "the metadata has \(metadata.count) bytes, over \(EntryRecord.maxMetadataByteCount)"
            )
        }
    }
}

extension DiskRules {
    /// Returns the time when an entry with this record stops being served; `nil` for never.
    func expiryDate(of record: EntryRecord, accessedAt: Timestamp, now: Timestamp) -> Timestamp? {
        expiryDate(own: record.expiry, writtenAt: record.writtenAt, accessedAt: accessedAt, now: now)
    }
}

extension DiskStatistics {
    fileprivate mutating func countRead(isInTime: Bool) {
        if isInTime {
            hitCount += 1
        } else {
            missCount += 1
            expiredCount += 1
        }
    }
}
