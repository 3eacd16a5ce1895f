import CalotypeCore
import CalotypeSupport

/// Write-back of access times; without it another process would evict entries that this one uses.
extension DiskCache {
    /// Writes all access times back; blocks.
    ///
    /// Returns once every use noted before has been written, by any thread.
    func writeUses() {
        for folder in shards.indices { writeUses(inFolderAt: folder) }
    }

    /// Writes the access times of one folder back; blocks.
    func writeUses(inFolderAt folder: Int) {
        let failureCount = writingUses.withLock { _ in
            let uses = shards[folder].state.withLock { $0.uses.beginWriting() }
            let failureCount = uses.count { name, time in !writeUse(of: name, at: time) }
            shards[folder].state.withLock { $0.uses.endWriting() }
            return failureCount
        }
        if failureCount > 0 { front.withLock { $0.statistics.maintenanceFailureCount += failureCount } }
    }

    /// Writes one access time back; returns whether it is in the file or the file no longer exists.
    private func writeUse(of name: EntryName, at time: Timestamp) -> Bool {
        do {
            try fileSystem.setAccessTime(at: layout.path(of: name), to: time)
            return true
        } catch {
            return error.isAbsence
        }
    }
}
