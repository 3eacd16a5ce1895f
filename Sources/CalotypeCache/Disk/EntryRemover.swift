import Glibc

/// Removes entries without ever taking a newer one that another process has just put in place.
package struct EntryRemover: Sendable {
    package let fileSystem: any FileSystem
    package let layout: DirectoryLayout
    package let folder: WriterFolder

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

    /// Removes an entry if it is still the very file that was looked at; returns whether it was.
    ///
    /// Between a look and a removal by name another process may rename a newer entry into place. So the file
    /// is first set aside, looked at again, and put back where it turns out to be newer; `link` puts it back
    /// without replacing one that is newer still. Should this process die in between, the sweep puts it back.
    package func remove(_ name: EntryName, ifStill identity: FileIdentity) throws(FileError) -> Bool {
        let path = layout.path(of: name)
        do {
            let status = try fileSystem.status(at: path)
            guard status.identity == identity else { return false }
            if status.kind == .folder {
                try fileSystem.removeFolder(path)
                return true
            }
            let aside = try folder.asidePath(for: name)
            try fileSystem.rename(path, to: aside)
            return try finish(aside, identity, path)
        } catch  where error.leavesNothingThere {
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
