import CalotypeSupport

/// Makes folders of a cache directory, and gives what is made to the owner of the directory.
///
/// A process that runs as root gives each new file and folder to the owner of the folder it stands in, so
/// that a program started with `sudo` once does not lock a user out of their own cache. Not every process
/// that runs as root may do so, in a container or on a network file system; what cannot be given away serves
/// all the same.
final class FolderMaker: Sendable {
    private struct State {
        var givesAway: Bool
        var failureCount = 0
    }

    private let fileSystem: any FileSystem
    private let isDurable: Bool
    private let state: Guarded<State>

    /// Makes nothing yet.
    ///
    /// - Parameters:
    ///   - fileSystem: Makes the folders.
    ///   - isDurable: Whether the new names must outlast a loss of power.
    ///   - givesAway: Whether root gives what it makes to the owner of the directory.
    init(fileSystem: any FileSystem, isDurable: Bool, givesAway: Bool) {
        self.fileSystem = fileSystem
        self.isDurable = isDurable
        state = Guarded(State(givesAway: givesAway))
    }

    /// What did not work and failed nothing: files that could not be given away, folders that could not be
    /// taken away again.
    var failureCount: Int { state.withLock { $0.failureCount } }

    /// Makes a folder and those above it that are missing.
    ///
    /// - Parameter path: An absolute path.
    /// - Throws: The call that failed; a folder that is already there is no failure.
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

    /// Makes the names in a folder durable, where the file system can do that for one folder.
    func synchronize(_ path: String) throws(FileError) {
        try fileSystem.withFolder(path) { folder throws(FileError) in
            do throws(FileError) {
                try fileSystem.synchronize(folder)
            } catch  where [EINVAL, EOPNOTSUPP].contains(error.errorNumber) {
                return
            }
        }
    }

    /// Whom a new file in `folder` is to be given to; `nil` to leave it as it is.
    func inheritedOwner(in folder: String) throws(FileError) -> FileOwner? {
        guard fileSystem.userID == 0 else { return nil }
        let owner = try fileSystem.status(at: folder).owner
        return owner.user == 0 ? nil : owner
    }

    /// Gives a file away as far as that can be done, and asks no more where the system refuses.
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

/// Folders that are locked as long as they are held on to.
extension FolderMaker {
    /// Each attempt fails only where somebody takes the same name, or sweeps, at that very moment.
    private static let attemptCountMax = 32

    /// Makes a folder that nobody has, and locks it.
    ///
    /// - Parameters:
    ///   - parent: The folder to make it in.
    ///   - makeName: A name nobody else takes; asked again where it is taken.
    /// - Returns: The folder.
    /// - Throws: The call that failed; nothing is left behind then.
    func makeLocked(in parent: String, _ makeName: () -> String) throws(FileError) -> LockedFolder {
        for _ in 0..<Self.attemptCountMax {
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

    /// Locks a folder just made; `nil` where a sweep was faster and took it for an abandoned one.
    private func lock(_ path: String, in parent: String) throws(FileError) -> LockedFolder? {
        let owner = try inheritedOwner(in: parent)
        let lock = try fileSystem.open(path, as: .folder)
        let folder = LockedFolder(fileSystem: fileSystem, path: path, lock: lock, owner: owner)
        give(lock, to: owner)
        guard try takeLock(lock) else { return nil }
        // Who locks a folder that has lost its name holds nothing.
        return try folder.standsInPlace() ? folder : nil
    }

    /// Where there are no locks the folder is used without: the sweep, which cannot take a lock either,
    /// leaves it.
    private func takeLock(_ folder: FileDescriptor) throws(FileError) -> Bool {
        do {
            return try fileSystem.tryLock(folder)
        } catch  where error.meansNoLocks {
            return true
        }
    }

    /// Removes a folder of our own that turned out not to be needed.
    func removeCounting(_ path: String) {
        do {
            try fileSystem.removeFolder(path)
        } catch {
            if !error.isAbsence { countFailure() }
        }
    }

    /// Counts something that did not work and failed nothing.
    func countFailure() {
        state.withLock { $0.failureCount += 1 }
    }
}

/// A folder whose lock is held until the last reference goes.
final class LockedFolder: Sendable {
    let path: String
    /// Whom files in it are to be given to; `nil` to leave them as they are.
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

    /// Whether it is still what stands at its path; not every file system tells by the count of links.
    func standsInPlace() throws(FileError) -> Bool {
        let inode = try fileSystem.status(of: lock).inode
        return try fileSystem.statusIfPresent(path)?.inode == inode
    }

    deinit {
        fileSystem.closeAfterFailure(lock)
    }
}
