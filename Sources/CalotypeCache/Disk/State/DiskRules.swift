import CalotypeCore

/// The limits and the expiry in force, with defaults filled in.
struct DiskRules: Hashable, Sendable {
    var sizeLimit: Int
    var countLimit: Int
    var expiry: Expiry
    /// The default size limit if none is set, until the entries have been counted; `nil` otherwise.
    var pendingDefault: Int?

    /// The most that a date may be in the future and still be valid: the clocks of one machine differ by
    /// less.
    static let maxFuture = Duration.seconds(86_400)

    /// Applies the default size limit, which bounds growth and evicts no existing entry.
    ///
    /// On a disk filled by other programs, the limit would otherwise empty the cache when it is opened next.
    mutating func settleDefault(byteCount: Int) {
        guard let pendingDefault else { return }
        sizeLimit = max(pendingDefault, min(sizeLimit, byteCount))
        self.pendingDefault = nil
    }

    /// The target of an eviction: 95 % of the limits, so that not every write evicts.
    var target: StoreUsage {
        StoreUsage(
            entryCount: countLimit - countLimit / 20,
            byteCount: sizeLimit - sizeLimit / 20
        )
    }

    var limits: StoreUsage { StoreUsage(entryCount: countLimit, byteCount: sizeLimit) }

    /// Returns the time when an entry stops being served: by its own rule, else by the directory's; `nil` for
    /// never.
    ///
    /// A date in the future by more than ``maxFuture`` is invalid: unless it never expires, such an entry
    /// counts as expired. A smaller lead counts as an age of zero.
    func expiryDate(
        own: Expiry?,
        writtenAt: Timestamp,
        accessedAt: Timestamp,
        now: Timestamp
    ) -> Timestamp? {
        let expiry = own ?? expiry
        guard expiry != .never, writtenAt.duration(since: now) <= Self.maxFuture else {
            return expiry == .never ? nil : .distantPast
        }
        return expiry.expiryDate(writtenAt: min(writtenAt, now), accessedAt: min(accessedAt, now))
    }
}
