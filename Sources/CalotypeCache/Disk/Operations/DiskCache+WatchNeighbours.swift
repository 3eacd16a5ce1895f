import CalotypeCore
import CalotypeSupport

/// Other processes that write into the directory: who is there, and what they tell; all of it blocks.
///
/// Whoever holds the lock of a folder below `tmp` is there; a folder whose lock is free is cleared away, and
/// what its owner had told is told on.
extension DiskCache {
    /// Looks who is there, takes in what they tell, and tells them.
    func lookForNeighbours() {
        let begins = state.withLock { state in
            defer { state.isLooking = true }
            return !state.isLooking
        }
        guard begins else { return }
        do {
            try look()
            emptyAsidesInBackground()
        } catch {
            front.withLock { $0.statistics.maintenanceFailureCount += 1 }
        }
        state.withLock { $0.isLooking = false }
    }

    private func look() throws(FileError) {
        let (living, dead) = try neighbours()
        guard let rules = front.withLock(\.rules) else { return }
        let text = state.withLock { state -> String? in
            let share = state.neighbours.didLook(living: living, dead: dead, rules: rules)
            state.walk.owe(share: share)
            state.expiryDebt = configuration.removesExpiredOnClose ? 1 : 0
            return state.neighbours.takeTellingDue() ? NeighbourLedger.text(state.neighbours.toTell) : nil
        }
        if let text { try tell(text) }
    }

    /// Writes what this process tells, where it has a folder.
    private func tell(_ text: String) throws(FileError) {
        guard let name = folder.name else { return }
        try folder.replaceFile(at: layout.telling(of: name), with: text)
    }

    /// The writers that are alive with what they tell, and what the dead had told.
    private func neighbours() throws(FileError) -> (living: [String: StoreUsage?], dead: StoreUsage) {
        var living: [String: StoreUsage?] = [:]
        var dead = StoreUsage()
        // Who only reads has nobody to tell what the dead had told, and leaves it where it is.
        let isReader = folder.name == nil
        for name in try otherFolders() {
            if let swept = try sweep.sweepIfAbandoned(name, leavesTelling: isReader, leavesAsides: true) {
                take(swept)
                guard let usage = swept.written.flatMap(NeighbourLedger.usage(parsing:)) else { continue }
                if isReader { living[name] = usage } else { dead = dead + usage }
            } else {
                living[name] = .some(told(by: name))
            }
        }
        return (living, dead)
    }

    private func told(by name: String) -> StoreUsage? {
        do {
            return try sweep.text(of: layout.telling(of: name)).flatMap(NeighbourLedger.usage(parsing:))
        } catch {
            return nil
        }
    }

    /// The folders of writers but this process's own.
    private func otherFolders() throws(FileError) -> [String] {
        let own = folder.name
        do {
            // A folder has a link by its name, one by its own `.`, and one by the `..` of each folder in it.
            if own != nil, try fileSystem.status(at: layout.temporary).linkCount == 3 { return [] }
        } catch  where error.leavesNothingThere {
            return []
        }
        return try sweep.writerFolders().filter { $0 != own }
    }

    /// Leaves the directory: tells for the last time where somebody is there to hear it, and else removes the
    /// folder.
    func leave() throws(FileError) {
        // Also after a failure: who has closed is not alive any more.
        defer { folder.leave() }
        guard let name = folder.name else { return try folder.close() }
        let (living, dead) = try neighbours()
        if living.isEmpty {
            try fileSystem.removeFileIfPresent(layout.telling(of: name))
            try folder.close()
        } else {
            try tell(NeighbourLedger.text(state.withLock { $0.neighbours.toTell } + dead))
        }
    }
}
