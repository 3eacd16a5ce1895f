import CalotypeCore
import CalotypeSupport

/// Detection of other processes that write into the directory, and their reports; all of it blocks.
///
/// A live writer holds the lock of its folder below `tmp`. A folder whose lock is free is removed, and its
/// owner's report is passed on.
extension DiskCache {
    /// Finds other writers, reads their reports, and writes this process's own.
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

    /// Writes this process's report, if it has a folder.
    private func tell(_ text: String) throws(FileError) {
        guard let name = folder.name else { return }
        try folder.replaceFile(at: layout.telling(of: name), with: text)
    }

    /// Returns the live writers with their reports, and the sum of the dead ones' reports.
    private func neighbours() throws(FileError) -> (living: [String: StoreUsage?], dead: StoreUsage) {
        var living: [String: StoreUsage?] = [:]
        var dead = StoreUsage()
        // A process that only reads has no report to pass the dead ones' on, and leaves them in place.
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

    /// Puts back the entries that dead processes had set aside, so that a removal finds them: a later sweep
    /// would bring them back.
    func putBackAsides() {
        do {
            for name in try otherFolders() {
                var swept = try sweep.sweepIfAbandoned(name, leavesTelling: true, leavesAsides: true)
                // Left for the next look.
                swept?.asides = []
                if let swept { take(swept) }
            }
        } catch {
            front.withLock { $0.statistics.maintenanceFailureCount += 1 }
        }
    }

    private func told(by name: String) -> StoreUsage? {
        do {
            return try sweep.text(of: layout.telling(of: name)).flatMap(NeighbourLedger.usage(parsing:))
        } catch {
            return nil
        }
    }

    /// Returns the writers' folders except this process's own.
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

    /// Leaves the directory: writes a last report if other writers live, otherwise removes the folder.
    func leave() throws(FileError) {
        // Also after a failure: a closed cache is not a live writer any more.
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
