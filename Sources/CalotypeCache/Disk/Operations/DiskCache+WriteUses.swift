import CalotypeCore
import CalotypeSupport

/// Last uses on their way to the files; without them another process would evict what this one uses.
extension DiskCache {
    /// Writes all of them back; blocks.
    ///
    /// Returns once no use that was noted before is left to be written, by whichever thread.
    func writeUses() {
        for folder in shards.indices { writeUses(inFolderAt: folder) }
    }

    /// Writes those of one folder back; blocks.
    func writeUses(inFolderAt folder: Int) {
        let failureCount = writingUses.withLock { _ in
            let uses = shards[folder].state.withLock { $0.uses.beginWriting() }
            let failureCount = uses.count { name, time in !writeUse(of: name, at: time) }
            shards[folder].state.withLock { $0.uses.endWriting() }
            return failureCount
        }
        if failureCount > 0 { front.withLock { $0.statistics.maintenanceFailureCount += failureCount } }
    }

    /// Writes one last use back; returns whether it stands in the file, or there is no file any more.
    private func writeUse(of name: EntryName, at time: Timestamp) -> Bool {
        do {
            try fileSystem.setAccessTime(at: layout.path(of: name), to: time)
            return true
        } catch {
            return error.isAbsence
        }
    }
}
