import CalotypeCore
import CalotypeSupport

extension DiskCache {
    /// Renews an entry: sets a new date, metadata and expiry, as after a `304 Not Modified` response.
    ///
    /// The payload is not read into memory; it is copied within the kernel.
    ///
    /// - Parameters:
    ///   - key: The key of the entry.
    ///   - options: The metadata and expiry that replace the old ones, and the old metadata if it matters.
    /// - Returns: Whether such an entry existed; an expired one is renewed too.
    /// - Throws: ``DiskCacheError``; the entry is then unchanged.
    @discardableResult
    public func renewBlob(forKey key: String, options: BlobOptions) async throws(DiskCacheError) -> Bool {
        let name = EntryName(key: key)
        let now = configuration.timeSource.now()
        try checkLimits(key: key, metadata: options.metadata)
        return try await perform(.key(name), staging: .changing) { cache throws(DiskCacheError) in
            try cache.renew(name, key: key, options: options, at: now)
        }
    }

    // Another process may replace the entry between reading its record and copying it; both are then
    // repeated.
    private func renew(
        _ name: EntryName,
        key: String,
        options: BlobOptions,
        at time: Timestamp
    ) throws(DiskCacheError) -> Bool {
        for _ in 0..<Self.maxRenewalAttemptCount {
            let outcome: ReadOutcome
            do {
                outcome = try reader.readRecord(name, key: key)
            } catch {
                throw DiskCacheError(error, path: layout.path(of: name))
            }
            guard case .found(let stored) = outcome, options.permitRenewal(of: stored.record.metadata) else {
                return false
            }
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

    private static let maxRenewalAttemptCount = 3
}
