import CalotypeSupport

/// Creates folders of a cache directory, and changes their owner to that of the directory.
///
/// A process that runs as root gives each new file and folder to the owner of its parent folder, so that
/// running a program with `sudo` once does not lock users out of their own cache. In a container or on a
/// network file system, root may lack that right; files whose owner cannot be changed are used all the same.
final class FolderCreator: Sendable {
    private struct State {
        var givesAway: Bool
        var failureCount = 0
    }

    let fileSystem: any FileSystem
    private let isDurable: Bool
    private let state: Guarded<State>

    /// Creates no folder yet.
    ///
    /// - Parameters:
    ///   - fileSystem: The file calls.
    ///   - isDurable: Whether the new names must survive a power failure.
    ///   - givesAway: Whether root changes the owner of new files to the owner of the directory.
    init(fileSystem: any FileSystem, isDurable: Bool, givesAway: Bool) {
        self.fileSystem = fileSystem
        self.isDurable = isDurable
        state = Guarded(State(givesAway: givesAway))
    }

    /// The number of failures that failed no operation: files whose owner could not be changed, folders that
    /// could not be removed again.
    var failureCount: Int { state.withLock { $0.failureCount } }

    /// Creates a folder and its missing parents.
    ///
    /// - Parameter path: An absolute path.
    /// - Throws: The failed call; an existing folder is not a failure.
    func make(_ path: String) throws(FileError) {
        do {
            try makeOne(path)
        } catch  where error.isAbsence {
            guard let parent = path.parentFolder else { throw error }
            try make(parent)
            try makeOne(path)
        }
    }

    private func makeOne(_ path: String) throws(FileError) {
        do {
            try fileSystem.makeFolder(path)
        } catch  where error.errorNumber == EEXIST {
            return
        }
        guard let parent = path.parentFolder else { return }
        if let owner = try inheritedOwner(in: parent) {
            try fileSystem.withFolder(path) { folder throws(FileError) in give(folder, to: owner) }
        }
        if isDurable { try synchronize(parent) }
    }

    /// Makes the names in a folder durable, if the file system can do that for one folder.
    func synchronize(_ path: String) throws(FileError) {
        try fileSystem.withFolder(path) { folder throws(FileError) in
            do throws(FileError) {
                try fileSystem.synchronize(folder)
            } catch  where [EINVAL, EOPNOTSUPP].contains(error.errorNumber) {
                return
            }
        }
    }

    /// Returns the owner for a new file in `folder`; `nil` to leave the owner unchanged.
    func inheritedOwner(in folder: String) throws(FileError) -> FileOwner? {
        guard fileSystem.userID == 0 else { return nil }
        let owner = try fileSystem.status(at: folder).owner
        return owner.user == 0 ? nil : owner
    }

    /// Changes the owner of a file if possible, and stops trying once the system refuses.
    func give(_ file: FileDescriptor, to owner: FileOwner?) {
        guard let owner, state.withLock({ $0.givesAway }) else { return }
        do {
            try fileSystem.setOwner(of: file, to: owner)
        } catch {
            state.withLock { state in
                state.failureCount += 1
                if error.meansNoOwners { state.givesAway = false }
            }
        }
    }

    /// Removes a folder of this process that turned out to be unnecessary.
    func removeCounting(_ path: String) {
        do {
            try fileSystem.removeFolder(path)
        } catch {
            if !error.isAbsence { countFailure() }
        }
    }

    /// Counts a failure that failed no operation.
    func countFailure() {
        state.withLock { $0.failureCount += 1 }
    }
}
