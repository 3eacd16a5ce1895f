extension MemoryCacheState {
    /// Stops the process if the parts are inconsistent; for tests.
    func checkInvariants() {
        table.checkInvariants()
        policy.checkInvariants()
        let load = CacheLoad(cost: statistics.cost, count: statistics.count)
        precondition(policy.load == load, "policy load ≠ cache load")
        precondition(log.isEmpty, "nothing that the policy decided is left undone")
        entries.checkInvariants()
        for slot in entries.usedSlots {
            precondition(
                (entries.value(at: slot) != nil) == policy.holds(slot),
                "values are where they are held"
            )
            let found = self.slot(of: entries.key(at: slot), tag: entries.tag(at: slot))
            precondition(found == slot, "every key is found")
            precondition(
                entries.value(at: slot) != nil || ages.age(at: slot) == nil,
                "only a value has an age"
            )
            precondition(policy.knows(slot), "a slot belongs to its key for as long as the policy knows it")
        }
    }
}
