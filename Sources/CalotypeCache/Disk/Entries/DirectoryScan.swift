package import CalotypeCore

/// Walks the entries of a directory by their names and sizes, without opening one.
package struct DirectoryScan: Sendable {
    package let fileSystem: any FileSystem
    package let layout: DirectoryLayout

    package init(fileSystem: any FileSystem, layout: DirectoryLayout) {
        self.fileSystem = fileSystem
        self.layout = layout
    }

    /// Calls `body` with the entries of each of the 256 folders; files that are not named like ours are left
    /// out.
    ///
    /// - Parameter body: Gets one folder's entries.
    /// - Throws: The call that failed; a folder that is not there is empty.
    package func forEachFolder(_ body: ([DiskIndexEntry]) throws(FileError) -> Void) throws(FileError) {
        for index in 0..<256 {
            try body(entries(inFolderAt: index))
        }
    }

    /// The entries of one of the 256 folders; what is named like an entry and is a link or a pipe counts as
    /// one, so that it is found out when it is read.
    ///
    /// - Parameters:
    ///   - index: The folder, 0..<256.
    ///   - clock: No entry was used later than it says; asked at the start, and where one seems to be.
    ///   - noteAhead: Told the entries whose files say that they were, and the time that it is.
    /// - Returns: The entries, in no order.
    /// - Throws: The call that failed; a folder that is not there is empty.
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
                // It may have been used since the clock was looked at.
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
    /// What a file's dates say of an entry; one that is ahead of the clock says nothing.
    init(name: EntryName, status: FileStatus, now: Timestamp) {
        let accessedAt =
            if status.isUsed(after: now) {
                now
            } else if status.writtenAt > now + FileStatus.leadMax {
                status.accessedAt
            } else {
                max(status.accessedAt, status.writtenAt)
            }
        self.init(
            name: name,
            // Nothing longer is read; sums of what a file may claim would not hold.
            byteCount: min(status.byteCount, EntryRecord.fileByteCountMax + 1),
            accessedAt: min(accessedAt, now),
            identity: status.identity
        )
    }
}

extension FileStatus {
    /// How far a date may be ahead of the clock while a folder is looked through.
    fileprivate static let leadMax = Duration.seconds(60)

    fileprivate func isUsed(after now: Timestamp) -> Bool { accessedAt > now + Self.leadMax }
}
