import CalotypeCore
import CalotypeSupport
import FoundationEssentials
import Glibc

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
        /// The file is to be asked: once the directory is open, and in which way.
        case unknown(isOpen: Bool, CachedReads)

        /// The blob, where there is one.
        var blob: Blob? {
            if case .found(let blob) = self { blob } else { nil }
        }
    }

    /// What writes in flight say of a key.
    func lookUpStaged(_ name: EntryName, key: String) throws(DiskCacheError) -> StagedLookup {
        let (isClosed, content, rules, cachedReads) = state.withLock {
            ($0.isClosed, $0.staged.content(name), $0.rules, $0.cachedReads)
        }
        guard !isClosed else { throw .closed }
        guard let content else { return .unknown(isOpen: rules != nil, cachedReads) }
        let now = configuration.timeSource.now()
        switch content {
        case .nothing: return .absent
        case .blob(var blob, let stagedKey, let expiry):
            guard stagedKey.utf8.elementsEqual(key.utf8) else { return .absent }
            let ownExpiry = expiry ?? rules?.expiry ?? .never
            blob.expiresAt = ownExpiry.expiryDate(writtenAt: blob.writtenAt, accessedAt: now)
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
        if case .found = result { state.withLock { $0.cachedReads = .possible } }
        return result
    }

    /// Reads an entry as ``read(_:key:)`` does without waiting for anything; `nil` where that cannot be done.
    ///
    /// Any error is left to a thread that may wait: it tries again, and has the last word.
    func readCached(_ name: EntryName, key: String) -> DiskReadResult? {
        do {
            return result(of: try reader.readCached(name, key: key), name)
        } catch {
            if error.errorNumber == EOPNOTSUPP { state.withLock { $0.cachedReads = .impossible } }
            return nil
        }
    }

    /// Counts what came of a read.
    private func result(of outcome: ReadOutcome, _ name: EntryName) -> DiskReadResult {
        let now = configuration.timeSource.now()
        switch outcome {
        case .missing:
            state.withLock { state in state.statistics.missCount += 1 }
            return .missing
        case .damaged(_, let identity):
            state.withLock { state in
                state.statistics.missCount += 1
                state.statistics.damagedCount += 1
            }
            return .damaged(identity)
        case .found(let entry):
            return judge(entry, name, now: now)
        }
    }

    /// Whether an entry is in time: a hit, or a miss that leaves the file for ``removeExpired()``.
    private func judge(_ entry: StoredEntry, _ name: EntryName, now: Timestamp) -> DiskReadResult {
        let (isExpired, expiresAt, isTimeToWriteUses) = state.withLock { state -> (Bool, Timestamp?, Bool) in
            if let date = state.dates(of: entry, name).expiresAt, date <= now {
                state.statistics.missCount += 1
                state.statistics.expiredCount += 1
                return (true, date, false)
            }
            let isTimeToWriteUses = state.didUse(name, at: now, expiry: entry.record.expiry)
            return (false, state.expiry(of: entry.record, accessedAt: now), isTimeToWriteUses)
        }
        guard !isExpired else { return .missing }
        if isTimeToWriteUses { pool.enqueue { self.writeUses() } }
        return .found(
            Blob(
                data: entry.payload,
                metadata: entry.record.metadata,
                writtenAt: entry.record.writtenAt,
                expiresAt: expiresAt
            )
        )
    }

    func hasEntry(_ name: EntryName, key: String) throws(DiskCacheError) -> Bool {
        let outcome: ReadOutcome
        do {
            outcome = try reader.readRecord(name, key: key)
        } catch {
            throw DiskCacheError(error, path: layout.path(of: name))
        }
        guard case .found(let entry) = outcome else { return false }
        return !isExpired(entry, name)
    }

    /// When an entry was last used, as far as anybody knows, and when it stops being served.
    func dates(of entry: StoredEntry, _ name: EntryName) -> (accessedAt: Timestamp, expiresAt: Timestamp?) {
        state.withLock { $0.dates(of: entry, name) }
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
    @discardableResult
    func removeCounting(_ name: EntryName, ifStill identity: FileIdentity) -> Bool {
        do {
            let isRemoved = try remover.remove(name, ifStill: identity) == .removed
            state.withLock { $0.didRemove(name) }
            return isRemoved
        } catch {
            state.withLock { $0.statistics.maintenanceFailureCount += 1 }
            return false
        }
    }

    func removeEntry(_ name: EntryName) throws(DiskCacheError) -> Bool {
        do {
            let isRemoved = try remover.remove(name)
            state.withLock { $0.didRemove(name) }
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

extension Timestamp {
    /// The first moment there is.
    static let distantPast = Timestamp(nanosecondsSince1970: .min)
}
