/// Clears what processes that died while writing have left below `tmp`.
///
/// A folder whose lock can be taken has no owner any more. Everything in it is removed, but for a file named
/// like an entry: that one had been set aside to be looked at before its removal, and is put back unless a
/// newer one stands in its place.
package struct AbandonedFilesSweep: Sendable {
    package let fileSystem: any FileSystem
    package let layout: DirectoryLayout
    package let remover: EntryRemover

    package init(fileSystem: any FileSystem, layout: DirectoryLayout, remover: EntryRemover) {
        self.fileSystem = fileSystem
        self.layout = layout
        self.remover = remover
    }

    /// Sweeps; returns how many files were removed or put back.
    package func run() throws(FileError) -> Int {
        var folders: [String] = []
        do {
            try fileSystem.list(layout.temporary) { item in
                if item.status.kind == .folder { folders.append(item.name) }
            }
        } catch  where error.leavesNothingThere {
            return 0
        }
        var count = 0
        for folder in folders { count += try sweep("\(layout.temporary)/\(folder)") }
        return count
    }

    private func sweep(_ folder: String) throws(FileError) -> Int {
        let lock: FileDescriptor
        do {
            lock = try fileSystem.open(folder, as: .folder)
        } catch  where error.leavesNothingThere {
            return 0
        }
        defer { fileSystem.closeAfterFailure(lock) }
        do {
            guard try fileSystem.tryLock(lock) else { return 0 }
        } catch  where error.meansNoLocks {
            // Nobody can tell whether its owner lives.
            return 0
        }
        var files: [String] = []
        do {
            try fileSystem.list(folder) { item in files.append(item.name) }
            for file in files { try clear("\(folder)/\(file)", named: file) }
            try fileSystem.removeFolder(folder)
        } catch  where error.leavesNothingThere {
            // Its owner closed in the moment before the lock was taken, and removed it itself.
        }
        return files.count
    }

    private func clear(_ path: String, named fileName: String) throws(FileError) {
        guard let name = EntryName(fileName: fileName) else {
            try fileSystem.removeFileIfPresent(path)
            return
        }
        do {
            try remover.putBack(path, to: layout.path(of: name))
        } catch  where error.leavesNothingThere {
            // Its folder is gone: the cache has been cleared since.
            try fileSystem.removeFileIfPresent(path)
        }
    }
}
