/// The entries of a cache by slot: a key, its details, and a value while the cache holds one.
///
/// Keys and values are in separate raw memory, so that a lookup reads one key in place and retains only the
/// returned value. The owner of a slab must call ``deallocate()``.
// Unchecked because the compiler cannot check a pointer; only the slab's owner accesses this one, under a
// lock.
@usableFromInline @safe
struct EntrySlab<Key: Hashable & Sendable, Value: AnyObject & Sendable>: @unchecked Sendable {
    @usableFromInline
    struct Detail: Sendable {
        @usableFromInline var isUsed = false
        @usableFromInline var tag: UInt32 = 0
        @usableFromInline var cost = 0

        @inlinable
        init() {}

        @inlinable
        init(tag: UInt32) {
            isUsed = true
            self.tag = tag
        }
    }

    @usableFromInline var keys: UnsafeMutablePointer<Key>
    @usableFromInline var values: UnsafeMutablePointer<Value?>
    @usableFromInline var details: [Detail] = []
    @usableFromInline var freeSlots: [Slot] = []
    @usableFromInline var capacity = 16

    @inlinable
    init() {
        unsafe keys = .allocate(capacity: capacity)
        unsafe values = .allocate(capacity: capacity)
    }

    /// Releases all keys and values, and their memory.
    @inlinable
    func deallocate() {
        for slot in usedSlots { unsafe (keys + slot).deinitialize(count: 1) }
        unsafe values.deinitialize(count: details.count)
        unsafe keys.deallocate()
        unsafe values.deallocate()
    }

    @inlinable
    var usedSlots: some Sequence<Slot> {
        details.indices.lazy.filter { details[$0].isUsed }
    }

    @inlinable
    func isUsed(_ slot: Slot) -> Bool {
        details[slot].isUsed
    }

    @inlinable @inline(__always)
    func hasKey(_ key: Key, at slot: Slot) -> Bool {
        unsafe keys[slot] == key
    }

    @inlinable @inline(__always)
    func value(at slot: Slot) -> Value? {
        unsafe values[slot]
    }

    /// Returns whether a slot has a value; does not retain it.
    @inlinable
    func hasValue(at slot: Slot) -> Bool {
        unsafe values[slot] != nil
    }

    @inlinable
    func key(at slot: Slot) -> Key {
        unsafe keys[slot]
    }

    @inlinable
    func cost(at slot: Slot) -> Int {
        details[slot].cost
    }

    @inlinable
    func tag(at slot: Slot) -> UInt32 {
        details[slot].tag
    }

    /// Adds an entry without a value.
    @inlinable
    mutating func insert(_ key: Key, tag: UInt32) -> Slot {
        let slot = freeSlots.popLast() ?? makeSlot()
        unsafe (keys + slot).initialize(to: key)
        details[slot] = Detail(tag: tag)
        return slot
    }

    /// Sets the value of an entry without one.
    @inlinable
    mutating func setValue(_ value: Value, cost: Int, at slot: Slot) {
        unsafe values[slot] = value
        details[slot].cost = cost
    }

    /// Returns whether only the slab references the value in a slot.
    @inlinable
    mutating func isOnlyHolder(at slot: Slot) -> Bool {
        unsafe isKnownUniquelyReferenced(&values[slot])
    }

    /// Moves the value out of a slot, if it has one.
    @inlinable
    mutating func takeValue(at slot: Slot) -> Value? {
        unsafe (values + slot).pointee.take()
    }

    /// Moves the key out of a slot without a value, and frees the slot.
    @inlinable
    mutating func remove(at slot: Slot) -> Key {
        details[slot].isUsed = false
        freeSlots.append(slot)
        return unsafe (keys + slot).move()
    }

    @inlinable
    mutating func makeSlot() -> Slot {
        let slot = details.count
        precondition(slot < Int32.max, "a cache knows at most 2^31 keys")
        if slot == capacity { grow() }
        unsafe (values + slot).initialize(to: nil)
        details.append(Detail())
        return slot
    }

    /// Doubles the capacity; called when every slot has an entry, so that all of the memory is initialised.
    @inlinable
    mutating func grow() {
        let newKeys = UnsafeMutablePointer<Key>.allocate(capacity: capacity * 2)
        let newValues = UnsafeMutablePointer<Value?>.allocate(capacity: capacity * 2)
        unsafe newKeys.moveInitialize(from: keys, count: capacity)
        unsafe newValues.moveInitialize(from: values, count: capacity)
        unsafe keys.deallocate()
        unsafe values.deallocate()
        unsafe keys = newKeys
        unsafe values = newValues
        capacity *= 2
    }
}

extension EntrySlab {
    /// Stops the process if the free slots and the entries are inconsistent; for tests.
    func checkInvariants() {
        precondition(Set(freeSlots).count == freeSlots.count, "no slot is free twice")
        precondition(freeSlots.count + usedSlots.reduce(0) { count, _ in count + 1 } == details.count)
        precondition(
            freeSlots.allSatisfy { !details[$0].isUsed && value(at: $0) == nil },
            "a free slot is empty"
        )
    }
}
