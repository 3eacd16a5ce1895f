internal import CalotypeCache
internal import CalotypeCore
internal import CalotypeLoading
internal import FoundationEssentials

/// The known state of a source's original: its HTTP record and its content hash.
final class Validation: Sendable {
    let record: ResponseRecord?
    let contentHash: UInt64
    /// The time the content was received from its origin, or last confirmed.
    let receivedAt: Timestamp
    /// The number of the latest load that brought content from the origin; 0 if none did.
    let loadNumber: Int
    /// The time range in which requests without header fields may use the original as it is.
    let usableByAll: Range<Timestamp>?

    /// Returns the approximate memory of the validation under a key, in bytes.
    func cost(for key: ImageKey) -> Int { key.entryByteCount + 1_024 + (record?.byteCount ?? 0) }

    init(
        record: ResponseRecord?,
        contentHash: UInt64,
        receivedAt: Timestamp,
        loadNumber: Int = 0,
        allowing allowance: StaleAllowance
    ) {
        self.record = record
        self.contentHash = contentHash
        (self.receivedAt, self.loadNumber) = (receivedAt, loadNumber)
        usableByAll = record?.usableByAll(allowing: allowance)
    }
}
