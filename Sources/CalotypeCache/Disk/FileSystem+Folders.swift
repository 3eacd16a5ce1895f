import Glibc

extension FileSystem {
    /// Makes a folder and those above it that are missing.
    ///
    /// A process that runs as root gives each new folder to the owner of the folder it stands in, so that a
    /// program started with `sudo` once does not lock a user out of their own cache.
    ///
    /// - Parameters:
    ///   - path: An absolute path.
    ///   - isDurable: Whether the new names must outlast a loss of power.
    /// - Throws: The call that failed; a folder that is already there is no failure.
    func makeFolders(_ path: String, isDurable: Bool = false) throws(FileError) {
        do {
            try makeFolder(path)
        } catch  where error.errorNumber == EEXIST {
            return
        } catch  where error.isAbsence {
            guard let parent = path.parentFolder else { throw error }
            try makeFolders(parent, isDurable: isDurable)
            do {
                try makeFolder(path)
            } catch  where error.errorNumber == EEXIST {
                return
            }
        }
        guard let parent = path.parentFolder else { return }
        if let owner = try inheritedOwner(in: parent) {
            try withFolder(path) { folder throws(FileError) in try setOwner(of: folder, to: owner) }
        }
        if isDurable { try synchronizeFolder(parent) }
    }

    /// Whom a new file in `folder` is to be given to; `nil` to leave it as it is.
    func inheritedOwner(in folder: String) throws(FileError) -> FileOwner? {
        guard userID == 0 else { return nil }
        let owner = try status(at: folder).owner
        return owner.user == 0 ? nil : owner
    }

    /// Makes the names in a folder durable.
    func synchronizeFolder(_ path: String) throws(FileError) {
        try withFolder(path) { folder throws(FileError) in try synchronize(folder) }
    }

    private func withFolder(
        _ path: String,
        _ body: (FileDescriptor) throws(FileError) -> Void
    ) throws(FileError) {
        let folder = try open(path, as: .folder)
        do {
            try body(folder)
        } catch {
            closeAfterFailure(folder)
            throw error
        }
        try close(folder)
    }

    /// Closes a descriptor whose use has already failed, or that has only been read from.
    ///
    /// The first error is the one worth telling; closing what was only read has nothing left to lose.
    func closeAfterFailure(_ file: FileDescriptor) {
        do {
            try close(file)
        } catch {
            return
        }
    }

    /// Removes a file that may be gone already; returns whether it was there.
    @discardableResult
    func removeFileIfPresent(_ path: String) throws(FileError) -> Bool {
        do {
            try removeFile(path)
            return true
        } catch  where error.isAbsence {
            return false
        }
    }
}

extension String {
    /// The path without its last component; `nil` at the top.
    var parentFolder: String? {
        guard let slash = lastIndex(of: "/"), slash > startIndex else { return nil }
        return String(self[..<slash])
    }
}
