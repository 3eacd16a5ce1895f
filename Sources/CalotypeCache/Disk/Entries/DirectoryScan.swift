package import CalotypeCore

/// Lists the entries of a directory by name and size, without opening them.
package struct DirectoryScan: Sendable {
    package let fileSystem: any FileSystem
    package let layout: DirectoryLayout

    package init(fileSystem: any FileSystem, layout: DirectoryLayout) {
        self.fileSystem = fileSystem
        self.layout = layout
    }

    /// Calls `body` with the entries of each of the 256 folders; files without an entry's name are skipped.
    ///
    /// - Parameter body: Receives one folder's entries.
    /// - Throws: The failed call; a missing folder counts as empty.
    package func forEachFolder(_ body: ([DiskIndexEntry]) throws(FileError) -> Void) throws(FileError) {
        for index in 0..<256 {
            try body(entries(inFolderAt: index))
        }
    }

    /// Returns the entries of one of the 256 folders.
    ///
    /// A link or pipe named like an entry counts as one; reading it detects the damage.
    ///
    /// - Parameters:
    ///   - index: The folder, 0..<256.
    ///   - clock: The current time, which bounds the access times of entries; called at the start and for
    ///     each entry that seems to be in the future.
    ///   - noteAhead: Receives each entry whose access time is still in the future, with the current time.
    /// - Returns: The entries, in no order.
    /// - Throws: The failed call; a missing folder counts as empty.
    package func entries(
        inFolderAt index: Int,
        clock: () -> Timestamp = { Timestamp(nanosecondsSince1970: .max) },
        noteAhead: (EntryName, _ now: Timestamp) -> Void = { _, _ in }
    ) throws(FileError) -> [DiskIndexEntry] {
        var now = clock()
        let folderName = EntryName.folderName(at: index)
        var entries: [DiskIndexEntry] = []
        do {
            try fileSystem.list("\(layout.base)/\(folderName)") { item in
                guard item.status.kind != .folder, let name = EntryName(fileName: item.name),
                    name.high >> 56 == index
                else { return }
                // The entry may have been used since the clock was read.
                if item.status.isUsed(after: now) { now = clock() }
                entries.append(DiskIndexEntry(name: name, status: item.status, now: now))
                if item.status.isUsed(after: now) { noteAhead(name, now) }
            }
        } catch  where error.leavesNothingThere {
            return []
        }
        return entries
    }
}

extension DiskIndexEntry {
    /// Creates an entry from a file's dates; dates in the future are ignored.
    init(name: EntryName, status: FileStatus, now: Timestamp) {
        let accessedAt =
            if status.isUsed(after: now) {
                now
            } else if status.writtenAt > now + FileStatus.maxLead {
                status.accessedAt
            } else {
                max(status.accessedAt, status.writtenAt)
            }
        self.init(
            name: name,
            // Longer files are never read, and sums of sizes that a file may claim would overflow.
            byteCount: min(status.byteCount, EntryRecord.maxFileByteCount + 1),
            accessedAt: min(accessedAt, now),
            identity: status.identity
        )
    }
}

extension FileStatus {
    /// The tolerance for dates in the future while a folder is listed.
    fileprivate static let maxLead = Duration.seconds(60)

    fileprivate func isUsed(after now: Timestamp) -> Bool { accessedAt > now + Self.maxLead }
}
