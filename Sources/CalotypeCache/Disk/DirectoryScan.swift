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
    package func entries(inFolderAt index: Int) throws(FileError) -> [DiskIndexEntry] {
        let folderName = EntryName.folderName(at: index)
        var entries: [DiskIndexEntry] = []
        do {
            try fileSystem.list("\(layout.base)/\(folderName)") { item in
                guard item.status.kind != .folder, let name = EntryName(fileName: item.name),
                    name.high >> 56 == index
                else { return }
                entries.append(DiskIndexEntry(name: name, status: item.status))
            }
        } catch  where error.leavesNothingThere {
            return []
        }
        return entries
    }
}

extension DiskIndexEntry {
    init(name: EntryName, status: FileStatus) {
        self.init(
            name: name,
            byteCount: status.byteCount,
            accessedAt: max(status.accessedAt, status.writtenAt),
            identity: status.identity
        )
    }
}
