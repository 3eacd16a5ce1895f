import CalotypeCore
import CalotypeSupport
import FoundationEssentials

/// What is known of an entry, without its payload.
extension DiskCache {
    /// Whether ``blob(forKey:)`` would find something; checks the record, not the payload's checksum.
    ///
    /// - Throws: ``DiskCacheError`` where the file is there and the system does not let it be read.
    public func contains(_ key: String) async throws(DiskCacheError) -> Bool {
        try await blobInfo(forKey: key) != nil
    }

    /// What is known of the bytes kept for a key; `nil` for a miss.
    ///
    /// Checks the record, not the payload's checksum, and counts as no use.
    ///
    /// - Throws: ``DiskCacheError`` where the file is there and the system does not let it be read.
    public func blobInfo(forKey key: String) async throws(DiskCacheError) -> BlobInfo? {
        let name = EntryName(key: key)
        switch try lookUpStaged(name, key: key) {
        case .found(let blob): return blob.info
        case .absent: return nil
        case .unknown(let cachedReads):
            if cachedReads == .possible, let outcome = readRecordCached(name, key: key) {
                return info(of: outcome, name)
            }
            return try await pool.run(.urgent) { () throws(DiskCacheError) in
                try self.readInfo(name, key: key)
            }
        case .notYet:
            return try await perform(.key(name)) { cache throws(DiskCacheError) in
                try cache.readInfo(name, key: key)
            }
        }
    }

    /// Reads a record without waiting for anything; `nil` where that cannot be done.
    private func readRecordCached(_ name: EntryName, key: String) -> ReadOutcome? {
        do {
            return try reader.readRecordCached(name, key: key)
        } catch {
            // A thread that may wait has the last word.
            return nil
        }
    }

    private func readInfo(_ name: EntryName, key: String) throws(DiskCacheError) -> BlobInfo? {
        do {
            return info(of: try reader.readRecord(name, key: key), name)
        } catch {
            throw DiskCacheError(error, path: layout.path(of: name))
        }
    }

    private func info(of outcome: ReadOutcome, _ name: EntryName) -> BlobInfo? {
        guard case .found(let entry) = outcome else { return nil }
        let expiresAt = dates(of: entry, name).expiresAt
        if let expiresAt, expiresAt <= configuration.timeSource.now() { return nil }
        return BlobInfo(
            byteCount: entry.record.payloadByteCount,
            metadata: entry.record.metadata,
            writtenAt: entry.record.writtenAt,
            expiresAt: expiresAt
        )
    }
}
