/// The expiry times of the entries of a memory cache: a table by slot; the caller passes the current time.
@usableFromInline
struct MemoryExpiry: Sendable {
    @usableFromInline typealias Instant = ContinuousClock.Instant

    @usableFromInline
    struct Age: Sendable {
        /// The time when it expires.
        var endsAt: Instant
        /// The time that each use adds from then on; `nil` if uses do not extend it.
        let renewal: Duration?

        func isOver(at now: Instant) -> Bool { endsAt <= now }
    }

    private var ages: [Age?] = []
    private var wakesAt: Instant?
    private var newWake: Instant?

    /// Whether any entry has ever had an expiry; if not, lookups skip this table.
    @usableFromInline private(set) var isUsed = false

    @usableFromInline
    init() {}

    var slotCount: Int { ages.count }

    func age(at slot: Slot) -> Age? { slot < ages.count ? ages[slot] : nil }

    @usableFromInline
    func isOver(_ slot: Slot, at now: Instant) -> Bool { age(at: slot)?.isOver(at: now) ?? false }

    @usableFromInline
    mutating func set(_ age: Age?, at slot: Slot) {
        guard slot < ages.count || age != nil else { return }
        if slot >= ages.count { ages += Array(repeating: nil, count: slot + 1 - ages.count) }
        ages[slot] = age
        isUsed = isUsed || age != nil
        if let age { askForWake(at: age.endsAt) }
    }

    @usableFromInline
    mutating func take(at slot: Slot) -> Age? {
        guard slot < ages.count else { return nil }
        return ages[slot].take()
    }

    /// Records a use of a slot, which may extend its time.
    @usableFromInline
    mutating func renew(_ slot: Slot, at now: Instant) {
        guard slot < ages.count, let renewal = ages[slot]?.renewal else { return }
        ages[slot]?.endsAt = now + renewal
    }

    /// Requests a wake-up at a time, unless an earlier one is requested already.
    mutating func askForWake(at end: Instant) {
        guard wakesAt.map({ end < $0 }) ?? true else { return }
        (wakesAt, newWake) = (end, end)
    }

    /// Returns the time of the next wake-up, if it has changed since the last call.
    @usableFromInline
    mutating func takeWake() -> Instant? { newWake.take() }

    /// Records that the wake-up has happened.
    mutating func didWake() { (wakesAt, newWake) = (nil, nil) }
}

extension Expiry {
    /// Returns the age of an entry stored now; `nil` for no expiry.
    @usableFromInline
    func age(at now: () -> ContinuousClock.Instant) -> MemoryExpiry.Age? {
        switch self {
        case .afterWrite(let duration): MemoryExpiry.Age(endsAt: now() + duration, renewal: nil)
        case .afterAccess(let duration): MemoryExpiry.Age(endsAt: now() + duration, renewal: duration)
        case .never: nil
        }
    }
}
