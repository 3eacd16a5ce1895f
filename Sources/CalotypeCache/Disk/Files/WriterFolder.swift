import CalotypeSupport

/// This process's own folder below `tmp`, which holds the files it is writing.
///
/// The folder is locked while its owner lives; the kernel releases the lock with the process. So any process
/// can distinguish an abandoned folder from one in use, across restarts, containers and reused process
/// numbers. The folder is created on the first write and recreated if another process has removed it, but
/// never after it has been closed.
package final class WriterFolder: Sendable {
    private struct State {
        var place: LockedFolder?
        var isClosed = false
        var fileCount = 0
    }

    private let fileSystem: any FileSystem
    private let layout: DirectoryLayout
    private let isDurable: Bool
    private let trust: DirectoryTrust
    private let folders: FolderCreator
    private let makeName: @Sendable () -> String
    private let state = Guarded(State())

    /// Creates no folder yet.
    ///
    /// - Parameters:
    ///   - fileSystem: The file calls.
    ///   - layout: The paths of the directory.
    ///   - isDurable: Whether the parent folders must survive a power failure.
    ///   - trustsOtherUsers: Whether other users may be able to write to the directory; the owner of files is
    ///     then left unchanged.
    ///   - makeName: Returns a name that no other process is likely to use; called again if it is taken.
    package init(
        fileSystem: any FileSystem,
        layout: DirectoryLayout,
        isDurable: Bool = false,
        trustsOtherUsers: Bool = false,
        makeName: @escaping @Sendable () -> String = {
            "w" + String(UInt64.random(in: .min ... .max), radix: 16)
        }
    ) {
        self.fileSystem = fileSystem
        self.layout = layout
        self.isDurable = isDurable
        trust = DirectoryTrust(fileSystem: fileSystem, layout: layout, trustsEverybody: trustsOtherUsers)
        folders = FolderCreator(
            fileSystem: fileSystem,
            isDurable: isDurable,
            givesAway: !trustsOtherUsers
        )
        self.makeName = makeName
    }

    /// The folder's own name, once it exists.
    package var name: String? {
        state.withLock { $0.place?.path }?.split(separator: "/").last.map(String.init)
    }

    /// The number of failures that failed no operation: files whose owner could not be changed, a cache tag
    /// that could not be written, folders that could not be removed again.
    package var failureCount: Int { folders.failureCount }

    /// Checks the trust in the directory, before its contents are used.
    ///
    /// If a folder is missing and other users could create it too, it is created first, so that they cannot.
    ///
    /// - Throws: The reason for distrust, or the failed call.
    package func judgeDirectory() throws(FileError) {
        guard try trust.check() == .partialAmongOthers else { return }
        try folders.make(layout.base)
        try trust.check()
    }

    /// Creates a file to write to; the caller closes and renames or removes it.
    package func createFile() throws(FileError) -> (path: String, file: FileDescriptor) {
        try inFolder { place throws(FileError) in try createFile(in: place) }
    }

    /// Moves a file or folder into this folder under a name, replacing a file of that name.
    ///
    /// An entry keeps its name, so that a sweep can put it back if this process dies first.
    ///
    /// - Parameters:
    ///   - path: The file or folder to move.
    ///   - fileName: Its name in this folder.
    /// - Returns: Its new path; `nil` if `path` does not exist.
    /// - Throws: The failed call.
    package func take(_ path: String, as fileName: String) throws(FileError) -> String? {
        try inFolder { place throws(FileError) in
            let target = "\(place.path)/\(fileName)"
            do throws(FileError) {
                try fileSystem.rename(path, to: target)
                return target
            } catch  where error.leavesNothingThere {
                // One of the two is missing, and `rename` does not say which.
                guard try fileSystem.statusIfPresent(path) != nil else { return nil }
                throw error
            }
        }
    }

    /// Replaces the file at a path by a small text, completely or not at all.
    package func replaceFile(at path: String, with text: String) throws(FileError) {
        try inFolder { place throws(FileError) in try replaceFile(at: path, with: text, from: place) }
    }

    /// Creates a folder of the directory and its missing parents.
    func makeFolders(_ path: String) throws(FileError) {
        try folders.make(path)
    }

    /// Makes the names in a folder of the directory durable.
    func synchronize(_ path: String) throws(FileError) {
        try folders.synchronize(path)
    }

    /// Releases the lock, leaves the folder for the next sweep, and fails later calls.
    package func leave() {
        _ = letGo()
    }

    /// Removes the folder, releases the lock, and fails later calls.
    package func close() throws(FileError) {
        guard let place = letGo() else { return }
        do {
            try fileSystem.removeFolder(place.path)
        } catch  where error.isAbsence {
            return
        }
    }
}

extension WriterFolder {
    private func letGo() -> LockedFolder? {
        state.withLock { state in
            state.isClosed = true
            defer { state.place = nil }
            return state.place
        }
    }

    /// Runs `work` in the folder, and again in a new one if another process has removed the folder or the
    /// whole cache.
    private func inFolder<Value>(
        _ work: (LockedFolder) throws(FileError) -> Value
    ) throws(FileError) -> Value {
        let place = try current()
        do {
            return try work(place)
        } catch  where error.leavesNothingThere {
            try forgetIfGone(place)
        }
        return try work(current())
    }

    private func current() throws(FileError) -> LockedFolder {
        let (standing, isClosed) = state.withLock { ($0.place, $0.isClosed) }
        guard !isClosed else { throw closedError }
        if let standing { return standing }
        let made = try make()
        // Another thread may have been faster. Two folders would do no harm, but one is enough.
        let place = state.withLock { state in
            if state.place == nil, !state.isClosed { state.place = made }
            return state.place
        }
        if place !== made { folders.removeCounting(made.path) }
        guard let place else { throw closedError }
        return place
    }

    /// Forgets a folder that no longer exists, unless another thread has done so already.
    private func forgetIfGone(_ place: LockedFolder) throws(FileError) {
        if try place.standsInPlace() { return }
        state.withLock { state in
            if state.place === place { state.place = nil }
        }
    }

    private func make() throws(FileError) -> LockedFolder {
        let presence = try trust.check()
        try folders.make(layout.temporary)
        // Another user may have created a missing folder meanwhile.
        if presence != .complete { try trust.check() }
        let place = try folders.makeLocked(in: layout.temporary, makeName)
        tagRoot(from: place)
        return place
    }

    private var closedError: FileError {
        FileError("write", path: layout.temporary, errorNumber: ESHUTDOWN)
    }
}

extension WriterFolder {
    private func createFile(in place: LockedFolder) throws(FileError) -> (path: String, file: FileDescriptor)
    {
        let number = state.withLock { state in
            state.fileCount += 1
            return state.fileCount
        }
        let path = "\(place.path)/\(number)"
        let file = try fileSystem.open(path, as: .create)
        folders.give(file, to: place.owner)
        return (path, file)
    }

    private func replaceFile(
        at path: String,
        with text: String,
        from place: LockedFolder
    ) throws(FileError) {
        let (temporary, file) = try createFile(in: place)
        do {
            try write(text, to: file)
            try fileSystem.rename(temporary, to: path)
        } catch {
            try fileSystem.removeFileIfPresent(temporary)
            throw error
        }
    }

    private func write(_ text: String, to file: FileDescriptor) throws(FileError) {
        let result = unsafe Array(text.utf8).withUnsafeBytes { bytes in
            Result { () throws(FileError) in
                try unsafe fileSystem.write(file, [bytes])
                if isDurable { try fileSystem.synchronize(file) }
            }
        }
        if case .failure(let error) = result {
            fileSystem.closeAfterFailure(file)
            throw error
        }
        try fileSystem.close(file)
    }

    /// Marks the root as a cache, unless a file of that name exists; a failure does not affect the cache.
    private func tagRoot(from place: LockedFolder) {
        do {
            guard try fileSystem.statusIfPresent(layout.cacheTag) == nil else { return }
            try replaceFile(at: layout.cacheTag, with: DirectoryLayout.cacheTagText, from: place)
        } catch {
            folders.countFailure()
        }
    }
}
