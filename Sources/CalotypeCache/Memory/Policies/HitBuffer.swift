/// A buffer of slots that were read, passed to the policy in batches, which cost less than single calls.
@usableFromInline
struct HitBuffer: Sendable {
    @usableFromInline static var maxCount: Int { 32 }

    @usableFromInline var slots: InlineArray<32, Int32> = .init(repeating: 0)
    @usableFromInline var count = 0

    @inlinable
    init() {}

    /// Adds a slot; returns whether the buffer is full.
    @inlinable @inline(__always)
    mutating func append(_ slot: Slot) -> Bool {
        slots[count] = Int32(truncatingIfNeeded: slot)
        count &+= 1
        return count == Self.maxCount
    }
}
