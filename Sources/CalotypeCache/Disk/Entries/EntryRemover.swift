import CalotypeSupport

/// What became of removing an entry that had been judged.
package enum Removal: Hashable, Sendable {
    /// The file that was judged is gone.
    case removed
    /// There is no file of that name any more.
    case absent
    /// Another file has taken its place, and stays; this is what is known of it.
    case replaced(FileStatus)
}

/// Removes entries without ever taking a newer one that another process has just put in place.
package struct EntryRemover: Sendable {
    package let fileSystem: any FileSystem
    package let layout: DirectoryLayout
    package let folder: WriterFolder

    private static let attemptCountMax = 3

    package init(fileSystem: any FileSystem, layout: DirectoryLayout, folder: WriterFolder) {
        self.fileSystem = fileSystem
        self.layout = layout
        self.folder = folder
    }

    /// Removes whatever stands under a name; returns whether something did.
    package func remove(_ name: EntryName) throws(FileError) -> Bool {
        do {
            return try fileSystem.removeFileIfPresent(layout.path(of: name))
        } catch  where error.leavesNothingThere {
            return false
        }
    }

    /// Removes an entry if it is still the very file that was looked at.
    ///
    /// Between a look and a removal by name another process may rename a newer entry into place. So the file
    /// is first set aside, looked at again, and put back where it turns out to be newer; `link` puts it back
    /// without replacing one that is newer still. Should this process die in between, the sweep puts it back.
    ///
    /// - Parameters:
    ///   - name: The entry.
    ///   - identity: The file that was judged.
    /// - Returns: What became of it; an entry counts as gone only where nothing stands under its name.
    /// - Throws: The call that failed; the entry is then still there.
    package func remove(_ name: EntryName, ifStill identity: FileIdentity) throws(FileError) -> Removal {
        let path = layout.path(of: name)
        for _ in 0..<Self.attemptCountMax {
            guard let status = try fileSystem.statusIfPresent(path) else { return .absent }
            guard status.identity == identity else { return .replaced(status) }
            if try remove(path, status, aside: name.fileName) { return .removed }
        }
        throw FileError("rename", path: path, errorNumber: EAGAIN)
    }

    /// Removes a file that has just been seen; `false` where it is to be looked for again.
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
            // No folder can be made to set it aside in, and it must go for there to be room.
            return try fileSystem.removeFileIfPresent(path)
        } catch  where error.leavesNothingThere {
            // Somebody was faster, or has taken away what was set aside.
            return false
        }
    }

    /// Removes a file that has been set aside, if it is the one; otherwise, and after a failure, puts it
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

    /// Gives a file that was set aside its place again, unless a newer one has taken it.
    func putBack(_ aside: String, to path: String) throws(FileError) {
        do {
            try fileSystem.link(aside, to: path)
        } catch  where error.errorNumber == EEXIST {
            // A newer one stands there already.
        } catch  where [EPERM, EOPNOTSUPP, ENOSYS, EMLINK].contains(error.errorNumber) {
            // A file system without hard links: replacing is the only way to put it back.
            return try fileSystem.rename(aside, to: path)
        }
        try fileSystem.removeFile(aside)
    }
}
