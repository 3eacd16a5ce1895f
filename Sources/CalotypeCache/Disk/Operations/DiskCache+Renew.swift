import CalotypeCore
import CalotypeSupport

extension DiskCache {
    /// Gives an entry a new date, new metadata and a new expiry, as after a server said that nothing has
    /// changed.
    ///
    /// The payload is not read into memory: it is copied within the kernel.
    ///
    /// - Parameters:
    ///   - key: The entry.
    ///   - options: What stands beside the bytes from now on, in place of what was there.
    /// - Returns: Whether there was an entry; also one past its time is renewed.
    /// - Throws: ``DiskCacheError``; the entry is then as it was.
    @discardableResult
    public func renewBlob(forKey key: String, options: BlobOptions) async throws(DiskCacheError) -> Bool {
        let name = EntryName(key: key)
        let now = configuration.timeSource.now()
        try checkLimits(key: key, metadata: options.metadata)
        return try await perform(.key(name), staging: .changing) { cache throws(DiskCacheError) in
            try cache.renew(name, key: key, options: options, at: now)
        }
    }

    /// Another process may replace the entry between the look at its record and the copy; then both are done
    /// again.
    private func renew(
        _ name: EntryName,
        key: String,
        options: BlobOptions,
        at time: Timestamp
    ) throws(DiskCacheError) -> Bool {
        for _ in 0..<Self.renewalAttemptCountMax {
            let outcome: ReadOutcome
            do {
                outcome = try reader.readRecord(name, key: key)
            } catch {
                throw DiskCacheError(error, path: layout.path(of: name))
            }
            guard case .found(let stored) = outcome else { return false }
            var record = stored.record
            record.metadata = options.metadata
            record.expiry = options.expiry
            record.writtenAt = time
            let isRenewed = try commit(record, as: name) { cache throws(FileError) in
                try cache.writer.renew(name, record: record, ifStill: stored.status.identity)
            }
            if isRenewed { return true }
        }
        return false
    }

    private static let renewalAttemptCountMax = 3
}
