import CalotypeSupport

/// The result of removing an entry after a check of its file.
package enum Removal: Hashable, Sendable {
    /// The checked file has been removed.
    case removed
    /// No file has that name any more.
    case absent
    /// Another file has replaced the checked one, and stays; the value is its status.
    case replaced(FileStatus)
}

/// Removes entries without ever removing a newer one that another process has just stored.
package struct EntryRemover: Sendable {
    package let fileSystem: any FileSystem
    package let layout: DirectoryLayout
    package let folder: WriterFolder

    private static let maxAttemptCount = 3

    package init(fileSystem: any FileSystem, layout: DirectoryLayout, folder: WriterFolder) {
        self.fileSystem = fileSystem
        self.layout = layout
        self.folder = folder
    }

    /// Removes any file with this name; returns whether one existed.
    package func remove(_ name: EntryName) throws(FileError) -> Bool {
        do {
            return try fileSystem.removeFileIfPresent(layout.path(of: name))
        } catch  where error.leavesNothingThere {
            return false
        }
    }

    /// Removes an entry if it is still the file that was checked.
    ///
    /// Between the check and a removal by name, another process may rename a newer entry into place. So the
    /// file is first set aside, checked again, and put back if it is newer; `link` puts it back without
    /// replacing one that is newer still. If this process dies in between, the sweep puts it back.
    ///
    /// - Returns: The outcome; an entry counts as removed only if no file has its name.
    /// - Throws: The failed call; the entry then still exists.
    package func remove(_ name: EntryName, ifStill identity: FileIdentity) throws(FileError) -> Removal {
        let path = layout.path(of: name)
        for _ in 0..<Self.maxAttemptCount {
            guard let status = try fileSystem.statusIfPresent(path) else { return .absent }
            guard status.identity == identity else { return .replaced(status) }
            if try remove(path, status, aside: name.fileName) { return .removed }
        }
        throw FileError("rename", path: path, errorNumber: EAGAIN)
    }

    /// Removes a file whose status was just read; returns `false` if the lookup must be repeated.
    private func remove(
        _ path: String,
        _ status: FileStatus,
        aside fileName: String
    ) throws(FileError) -> Bool {
        do {
            if status.kind == .folder {
                try fileSystem.removeFolder(path)
                return true
            }
            guard let aside = try folder.take(path, as: fileName) else { return false }
            return try finish(aside, status.identity, path)
        } catch  where error.isDiskFull {
            // No folder can be created to set it aside in, and the disk needs the space.
            return try fileSystem.removeFileIfPresent(path)
        } catch  where error.leavesNothingThere {
            // Another process removed the file, or what was set aside.
            return false
        }
    }

    /// Removes a file that has been set aside if it has the identity; otherwise, and after a failure, puts it
    /// back.
    private func finish(
        _ aside: String,
        _ identity: FileIdentity,
        _ path: String
    ) throws(FileError) -> Bool {
        do {
            if try fileSystem.status(at: aside).identity == identity {
                try fileSystem.removeFile(aside)
                return true
            }
        } catch {
            try putBack(aside, to: path)
            throw error
        }
        try putBack(aside, to: path)
        return false
    }

    /// Moves a file that was set aside back, unless a newer one has its name.
    func putBack(_ aside: String, to path: String) throws(FileError) {
        do {
            try fileSystem.link(aside, to: path)
        } catch  where error.errorNumber == EEXIST {
            // A newer file exists.
        } catch  where [EPERM, EOPNOTSUPP, ENOSYS, EMLINK].contains(error.errorNumber) {
            // A file system without hard links: renaming is the only way to put it back.
            return try fileSystem.rename(aside, to: path)
        }
        try fileSystem.removeFile(aside)
    }
}
