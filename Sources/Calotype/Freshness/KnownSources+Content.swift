internal import CalotypeCache
internal import CalotypeCore
internal import CalotypeLoading
internal import CalotypeSupport

/// The current content of sources.
///
/// The load that began later brings the current content. Stored bytes are current if they were
/// received later than the known content: stores may have older bytes, as their replacement waits to be
/// written, could not be written, or has been evicted from a nearer store.
extension KnownSources {
    /// Records content that the origin has sent or confirmed, unless a load that began later has brought
    /// some.
    ///
    /// - Parameters:
    ///   - contentHash: The hash of the bytes.
    ///   - record: The record of their response; `nil` if it must not be stored.
    ///   - key: The key of the source.
    ///   - loadNumber: The number of the load that brought the bytes.
    /// - Returns: True if the source had other content, or none.
    func note(
        _ contentHash: UInt64,
        _ record: ResponseRecord?,
        of key: ImageKey,
        byLoad loadNumber: Int
    ) -> Bool {
        let receivedAt = record?.receivedAt ?? configuration.timeSource.now()
        return note(contentHash, record, of: key, receivedAt: receivedAt) { known in
            loadNumber >= known?.loadNumber ?? 0 ? loadNumber : nil
        }
    }

    /// Records content of a store that the origin has not confirmed, if it was received later than the known
    /// content: another process has stored it.
    ///
    /// - Parameters:
    ///   - contentHash: The hash of the bytes.
    ///   - record: The record of their response, if they have one.
    ///   - key: The key of the source.
    ///   - receivedAt: The time they were received.
    /// - Returns: True if the source had other content, or none.
    func noteStored(
        _ contentHash: UInt64,
        _ record: ResponseRecord?,
        of key: ImageKey,
        receivedAt: Timestamp
    ) -> Bool {
        note(contentHash, record, of: key, receivedAt: receivedAt) { known in
            guard let known else { return 0 }
            return receivedAt > known.receivedAt ? known.loadNumber : nil
        }
    }

    /// Returns the number of the load that brought content; 0 if that is unknown, or the source has other
    /// content.
    ///
    /// Cached bytes are older than the load that reads them.
    func loadNumber(of contentHash: UInt64?, from source: String) -> Int {
        guard let known = validations[ImageKey(source)], known.contentHash == contentHash else { return 0 }
        return known.loadNumber
    }

    /// Records content as one step with its comparison.
    ///
    /// - Parameters:
    ///   - contentHash: The hash of the content.
    ///   - record: The record of its response.
    ///   - key: The key of the source.
    ///   - receivedAt: The time the content was received.
    ///   - loadNumber: Returns the number of its load for the known state; `nil` to leave that.
    /// - Returns: True if it was recorded in place of other content.
    private func note(
        _ contentHash: UInt64,
        _ record: ResponseRecord?,
        of key: ImageKey,
        receivedAt: Timestamp,
        loadNumber: (Validation?) -> Int?
    ) -> Bool {
        noting.withLock { _ in
            let known = validations[key]
            guard let number = loadNumber(known) else { return false }
            let validation = Validation(
                record: record,
                contentHash: contentHash,
                receivedAt: receivedAt,
                loadNumber: number,
                allowing: configuration.staleAllowance
            )
            validations.insert(validation, forKey: key, cost: validation.cost(for: key))
            return known?.contentHash != contentHash
        }
    }

    /// Records the validation of a source that a stored variant has, unless more is known; what memory has
    /// of unknown content is removed.
    func noteIfUnknown(_ validation: Validation, of source: String) {
        let key = ImageKey(source)
        let isNews = noting.withLock { _ in
            guard validations[key] == nil else { return false }
            validations.insert(validation, forKey: key, cost: validation.cost(for: key))
            return true
        }
        if isNews { removeVariantsInMemory(of: source) }
    }

    /// Notes that the origin no longer has a source, unless a load that began later has brought content: its
    /// variants in the stores do not pass for fresh.
    ///
    /// - Returns: False if such content is known.
    func noteGone(_ source: String, for request: ImageRequest, byLoad loadNumber: Int) -> Bool {
        let key = ImageKey(source)
        let gone = Validation(
            record: nil,
            contentHash: 0,
            receivedAt: configuration.timeSource.now(),
            loadNumber: loadNumber,
            allowing: configuration.staleAllowance
        )
        return noting.withLock { _ in
            let known = validations[key]
            if let known, known.loadNumber > loadNumber { return false }
            guard request.heedsContent || known != nil else { return true }
            validations.insert(gone, forKey: key, cost: gone.cost(for: key))
            return true
        }
    }
}
