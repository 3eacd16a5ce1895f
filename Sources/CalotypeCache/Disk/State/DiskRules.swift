import CalotypeCore

/// The limits and the expiry in force, with defaults filled in.
struct DiskRules: Hashable, Sendable {
    var sizeLimit: Int
    var countLimit: Int
    var expiry: Expiry
    /// The size limit where nobody has set one, until the entries have been counted; `nil` otherwise.
    var pendingDefault: Int?

    /// How far ahead of the clock a date may be and still be one: clocks of one machine differ by less.
    static let futureMax = Duration.seconds(86_400)

    /// Puts the default size limit in force; it bounds growth and takes nothing that is there already.
    ///
    /// A disk that others have filled would otherwise empty the cache of whoever opens it next.
    mutating func settleDefault(byteCount: Int) {
        guard let pendingDefault else { return }
        sizeLimit = max(pendingDefault, min(sizeLimit, byteCount))
        self.pendingDefault = nil
    }

    /// Where an eviction stops: 95 % of the limits, so that not every write evicts.
    var target: StoreUsage {
        StoreUsage(
            entryCount: countLimit - countLimit / 20,
            byteCount: sizeLimit - sizeLimit / 20
        )
    }

    /// The limits themselves.
    var limits: StoreUsage { StoreUsage(entryCount: countLimit, byteCount: sizeLimit) }

    /// When an entry stops being served: by its own rule, else by the directory's; `nil` for never.
    ///
    /// A date further ahead of the clock than ``futureMax`` tells nothing: where age counts, such an entry is
    /// past its time. A smaller lead is taken for no age at all.
    func expiryDate(
        own: Expiry?,
        writtenAt: Timestamp,
        accessedAt: Timestamp,
        now: Timestamp
    ) -> Timestamp? {
        let expiry = own ?? expiry
        guard expiry != .never, writtenAt.duration(since: now) <= Self.futureMax else {
            return expiry == .never ? nil : .distantPast
        }
        return expiry.expiryDate(writtenAt: min(writtenAt, now), accessedAt: min(accessedAt, now))
    }
}
