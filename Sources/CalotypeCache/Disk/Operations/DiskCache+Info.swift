import CalotypeCore
import CalotypeSupport
import FoundationEssentials

/// Information about an entry, without its payload.
extension DiskCache {
    /// Returns whether ``blob(forKey:)`` would hit; checks the record, not the payload's checksum.
    ///
    /// - Throws: ``DiskCacheError`` if the file exists and cannot be read.
    public func contains(_ key: String) async throws(DiskCacheError) -> Bool {
        try await blobInfo(forKey: key) != nil
    }

    /// Returns the size, metadata and dates of a key's entry; `nil` for a miss.
    ///
    /// Checks the record, not the payload's checksum, and does not count as a use.
    ///
    /// - Throws: ``DiskCacheError`` if the file exists and cannot be read.
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

    /// Reads a record without waiting for the device; returns `nil` if that is not possible.
    private func readRecordCached(_ name: EntryName, key: String) -> ReadOutcome? {
        do {
            return try reader.readRecordCached(name, key: key)
        } catch {
            // A thread that may block tries again and decides.
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
