/// When the entries of a memory cache stop being found: a table by slot, which is told the time.
@usableFromInline
struct MemoryAges: Sendable {
    @usableFromInline typealias Instant = ContinuousClock.Instant

    /// The end of one entry.
    @usableFromInline
    struct Age: Sendable {
        /// When it stops being found.
        var endsAt: Instant
        /// How long it is found after each use; `nil` where a use gives it nothing.
        let renewal: Duration?

        /// Whether the end has come.
        func isOver(at now: Instant) -> Bool { endsAt <= now }
    }

    private var ages: [Age?] = []
    private var wakesAt: Instant?
    private var newWake: Instant?

    /// Whether any entry has had an age: as long as none has, nobody looks here.
    @usableFromInline private(set) var isUsed = false

    @usableFromInline
    init() {}

    /// One more than the last slot that may have an age.
    var slotCount: Int { ages.count }

    /// The age of a slot.
    func age(at slot: Slot) -> Age? { slot < ages.count ? ages[slot] : nil }

    /// Whether a slot has an age that is over.
    @usableFromInline
    func isOver(_ slot: Slot, at now: Instant) -> Bool { age(at: slot)?.isOver(at: now) ?? false }

    /// Gives a slot an age, or none.
    @usableFromInline
    mutating func set(_ age: Age?, at slot: Slot) {
        guard slot < ages.count || age != nil else { return }
        if slot >= ages.count { ages += Array(repeating: nil, count: slot + 1 - ages.count) }
        ages[slot] = age
        isUsed = isUsed || age != nil
        if let age { askForWake(at: age.endsAt) }
    }

    /// Takes the age of a slot away.
    @usableFromInline
    mutating func take(at slot: Slot) -> Age? {
        guard slot < ages.count else { return nil }
        return ages[slot].take()
    }

    /// Notes a use of a slot, which may give it more time.
    @usableFromInline
    mutating func renew(_ slot: Slot, at now: Instant) {
        guard slot < ages.count, let renewal = ages[slot]?.renewal else { return }
        ages[slot]?.endsAt = now + renewal
    }

    /// Notes that something ends at a time; nothing where somebody wakes up before.
    mutating func askForWake(at end: Instant) {
        guard wakesAt.map({ end < $0 }) ?? true else { return }
        (wakesAt, newWake) = (end, end)
    }

    /// When somebody is to wake up, where that has changed since the last call.
    @usableFromInline
    mutating func takeWake() -> Instant? { newWake.take() }

    /// Notes that whoever was to wake up has.
    mutating func didWake() { (wakesAt, newWake) = (nil, nil) }
}

extension Expiry {
    /// The age of an entry that is stored now; `nil` for none.
    @usableFromInline
    func age(at now: () -> ContinuousClock.Instant) -> MemoryAges.Age? {
        switch self {
        case .afterWrite(let duration): MemoryAges.Age(endsAt: now() + duration, renewal: nil)
        case .afterAccess(let duration): MemoryAges.Age(endsAt: now() + duration, renewal: duration)
        case .never: nil
        }
    }
}
