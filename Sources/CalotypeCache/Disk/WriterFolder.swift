import CalotypeSupport
import Glibc

/// This process's own folder below `tmp`, with the files it is writing.
///
/// The folder is locked as long as its owner lives; the kernel drops the lock with the process, so anybody
/// can tell an abandoned folder from a busy one, across restarts, containers and process numbers used again.
/// It is made when something is first written, and made anew when somebody has removed it.
package final class WriterFolder: Sendable {
    private struct Place {
        let path: String
        let lock: FileDescriptor
        let owner: FileOwner?
    }

    private struct State {
        var place: Place?
        var fileCount = 0
    }

    private let fileSystem: any FileSystem
    private let layout: DirectoryLayout
    private let makeName: @Sendable () -> String
    private let state = Guarded(State())

    /// Prepares the folder's use; nothing is made yet.
    ///
    /// - Parameters:
    ///   - fileSystem: Makes and locks it.
    ///   - layout: Says where `tmp` is.
    ///   - makeName: A name nobody else takes; asked again where it is taken.
    package init(
        fileSystem: any FileSystem,
        layout: DirectoryLayout,
        makeName: @escaping @Sendable () -> String = {
            "w" + String(UInt64.random(in: .min ... .max), radix: 16)
        }
    ) {
        self.fileSystem = fileSystem
        self.layout = layout
        self.makeName = makeName
    }

    deinit {
        guard let place = state.withLock({ $0.place }) else { return }
        fileSystem.closeAfterFailure(place.lock)
    }

    /// The folder's own name, once there is one.
    package var name: String? {
        state.withLock { $0.place?.path }?.split(separator: "/").last.map(String.init)
    }

    /// Creates a file to write into; the caller closes and renames or removes it.
    package func createFile() throws(FileError) -> (path: String, file: FileDescriptor) {
        do {
            return try createFile(in: current())
        } catch  where error.isAbsence {
            // Somebody removed the folder, or the whole cache, behind our back.
            forget()
            return try createFile(in: current())
        }
    }

    /// Where an entry is set aside while it is looked at before it is removed.
    ///
    /// The file is named like the entry, so that a sweep can put it back when this process dies in between.
    package func asidePath(for name: EntryName) throws(FileError) -> String {
        "\(try current().path)/\(name.fileName)"
    }

    /// Removes the folder and lets go of the lock.
    package func close() throws(FileError) {
        guard let place = forgetPlace() else { return }
        defer { fileSystem.closeAfterFailure(place.lock) }
        do {
            try fileSystem.removeFolder(place.path)
        } catch  where error.isAbsence {
            return
        }
    }

    private func createFile(in place: Place) throws(FileError) -> (path: String, file: FileDescriptor) {
        let number = state.withLock { state in
            state.fileCount += 1
            return state.fileCount
        }
        let path = "\(place.path)/\(number)"
        let file = try fileSystem.open(path, as: .create)
        if let owner = place.owner {
            do {
                try fileSystem.setOwner(of: file, to: owner)
            } catch {
                fileSystem.closeAfterFailure(file)
                try fileSystem.removeFileIfPresent(path)
                throw error
            }
        }
        return (path, file)
    }

    private func current() throws(FileError) -> Place {
        if let place = state.withLock({ $0.place }) { return place }
        let made = try make()
        let (place, isOurs) = state.withLock { state in
            if let place = state.place { return (place, false) }
            state.place = made
            return (made, true)
        }
        if !isOurs {
            // Another thread was faster; two folders would do no harm, but one is enough.
            defer { fileSystem.closeAfterFailure(made.lock) }
            try fileSystem.removeFolder(made.path)
        }
        return place
    }

    private func make() throws(FileError) -> Place {
        try fileSystem.makeFolders(layout.temporary)
        while true {
            let path = "\(layout.temporary)/\(makeName())"
            do {
                try fileSystem.makeFolder(path)
            } catch  where error.errorNumber == EEXIST {
                continue
            }
            if let place = try lockFolder(path) { return place }
        }
    }

    /// Locks a folder just made; `nil` where a sweep was faster, took it for an abandoned one and removed it.
    private func lockFolder(_ path: String) throws(FileError) -> Place? {
        let lock: FileDescriptor
        do {
            lock = try fileSystem.open(path, as: .folder)
        } catch  where error.isAbsence {
            return nil
        }
        do {
            let owner = try fileSystem.inheritedOwner(in: layout.temporary)
            if let owner { try fileSystem.setOwner(of: lock, to: owner) }
            if try lockIfPossible(lock), try fileSystem.status(of: lock).linkCount > 0 {
                return Place(path: path, lock: lock, owner: owner)
            }
        } catch {
            fileSystem.closeAfterFailure(lock)
            throw error
        }
        fileSystem.closeAfterFailure(lock)
        return nil
    }

    /// Where there are no locks the folder is used without: the sweep, which cannot take a lock either,
    /// leaves it.
    private func lockIfPossible(_ folder: FileDescriptor) throws(FileError) -> Bool {
        do {
            return try fileSystem.tryLock(folder)
        } catch  where error.meansNoLocks {
            return true
        }
    }

    private func forget() {
        if let place = forgetPlace() { fileSystem.closeAfterFailure(place.lock) }
    }

    private func forgetPlace() -> Place? {
        state.withLock { state in
            let place = state.place
            state.place = nil
            return place
        }
    }
}
