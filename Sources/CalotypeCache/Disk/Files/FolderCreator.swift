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

    private let fileSystem: any FileSystem
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
}

/// Folders that stay locked while they are referenced.
extension FolderCreator {
    /// An attempt fails only if another process takes the same name, or sweeps, at that very moment.
    private static let maxAttemptCount = 32

    /// Creates a folder with an unused name, and locks it.
    ///
    /// - Parameters:
    ///   - parent: The parent folder.
    ///   - makeName: Returns a name that no other process is likely to use; called again if it is taken.
    /// - Returns: The locked folder.
    /// - Throws: The failed call; no folder is left behind then.
    func makeLocked(in parent: String, _ makeName: () -> String) throws(FileError) -> LockedFolder {
        for _ in 0..<Self.maxAttemptCount {
            let path = "\(parent)/\(makeName())"
            do {
                try fileSystem.makeFolder(path)
            } catch  where error.errorNumber == EEXIST {
                continue
            }
            do {
                if let folder = try lock(path, in: parent) { return folder }
            } catch  where !error.isAbsence {
                removeCounting(path)
                throw error
            } catch {
                // Swept before it was locked.
            }
        }
        throw FileError("mkdir", path: parent, errorNumber: EAGAIN)
    }

    /// Locks a new folder; returns `nil` if a sweep took it for an abandoned one first.
    private func lock(_ path: String, in parent: String) throws(FileError) -> LockedFolder? {
        let owner = try inheritedOwner(in: parent)
        let lock = try fileSystem.open(path, as: .folder)
        let folder = LockedFolder(fileSystem: fileSystem, path: path, lock: lock, owner: owner)
        give(lock, to: owner)
        guard try takeLock(lock) else { return nil }
        // A lock on a folder that has lost its name protects nothing.
        return try folder.standsInPlace() ? folder : nil
    }

    /// Without lock support the folder is used unlocked: the sweep, which cannot take a lock either, leaves
    /// it.
    private func takeLock(_ folder: FileDescriptor) throws(FileError) -> Bool {
        do {
            return try fileSystem.tryLock(folder)
        } catch  where error.meansNoLocks {
            return true
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

/// A folder whose lock is held until the last reference is released.
final class LockedFolder: Sendable {
    let path: String
    /// The owner for files in it; `nil` to leave the owner unchanged.
    let owner: FileOwner?
    private let fileSystem: any FileSystem
    private let lock: FileDescriptor

    fileprivate init(
        fileSystem: any FileSystem,
        path: String,
        lock: FileDescriptor,
        owner: FileOwner?
    ) {
        self.fileSystem = fileSystem
        self.path = path
        self.lock = lock
        self.owner = owner
    }

    /// Returns whether it is still the folder at its path; the link count does not show that on every file
    /// system.
    func standsInPlace() throws(FileError) -> Bool {
        let inode = try fileSystem.status(of: lock).inode
        return try fileSystem.statusIfPresent(path)?.inode == inode
    }

    deinit {
        fileSystem.closeAfterFailure(lock)
    }
}
