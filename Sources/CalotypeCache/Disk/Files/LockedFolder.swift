import CalotypeSupport

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
}
