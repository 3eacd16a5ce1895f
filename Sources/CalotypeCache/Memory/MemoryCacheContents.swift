/// The contents of a cache, removed from it as a whole and released outside of the lock.
final class MemoryCacheContents<Key: Hashable & Sendable, Value: AnyObject & Sendable>: Sendable {
    typealias WeakTable = WeakLevel<Key, Value>.Table

    private let entries: EntrySlab<Key, Value>
    private let table: SlotTable
    private let policy: any EvictionPolicy
    private let watched: [WeakTable]
    private let cause: RemovalCause

    init(_ state: MemoryCacheState<Key, Value>, watched: [WeakTable], cause: RemovalCause) {
        entries = state.entries
        table = state.table
        policy = state.policy
        self.watched = watched
        self.cause = cause
    }

    deinit {
        entries.deallocate()
    }

    func report(to onRemoval: (Key, Value, RemovalCause) -> Void) {
        for slot in entries.usedSlots {
            if let value = entries.value(at: slot) { onRemoval(entries.key(at: slot), value, cause) }
        }
    }
}
