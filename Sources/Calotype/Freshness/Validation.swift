internal import CalotypeCache
internal import CalotypeCore
internal import CalotypeLoading
internal import FoundationEssentials

/// The known state of a source's original: its HTTP record and its content hash.
final class Validation: Sendable {
    let record: ResponseRecord?
    let contentHash: UInt64
    /// The number of the latest load that brought the content from its origin; 0 if unknown.
    let loadNumber: Int
    /// The number of the next load when the content came, which finds it in the stores; 0 if unknown.
    let notedNumber: Int
    /// The time range in which requests without header fields may use the original as it is.
    let usableByAll: Range<Timestamp>?

    /// Returns the approximate memory of the validation under a key, in bytes.
    func cost(for key: ImageKey) -> Int { key.entryByteCount + 1_024 + (record?.byteCount ?? 0) }

    init(
        record: ResponseRecord?,
        contentHash: UInt64,
        loadNumber: Int = 0,
        notedNumber: Int = 0,
        allowing allowance: StaleAllowance
    ) {
        self.record = record
        self.contentHash = contentHash
        (self.loadNumber, self.notedNumber) = (loadNumber, notedNumber)
        usableByAll = record?.usableByAll(allowing: allowance)
    }
}
