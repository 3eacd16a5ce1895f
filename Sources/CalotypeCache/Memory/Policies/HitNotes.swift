/// Slots that were read, until the policy is told of them: many at once cost less than one after the other.
@usableFromInline
struct HitNotes: Sendable {
    @usableFromInline static var countMax: Int { 32 }

    @usableFromInline var slots: InlineArray<32, Int32> = .init(repeating: 0)
    @usableFromInline var count = 0

    @inlinable
    init() {}

    /// Notes a slot; returns whether there is room for no other.
    @inlinable @inline(__always)
    mutating func append(_ slot: Slot) -> Bool {
        slots[count] = Int32(truncatingIfNeeded: slot)
        count &+= 1
        return count == Self.countMax
    }
}
