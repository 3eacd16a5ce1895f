import CalotypeSupport

/// This process's own folder below `tmp`, with the files it is writing.
///
/// The folder is locked as long as its owner lives; the kernel drops the lock with the process, so anybody
/// can tell an abandoned folder from a busy one, across restarts, containers and process numbers used again.
/// It is made when something is first written, made anew when somebody has removed it, and never again once
/// it has been closed.
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
    private let folders: FolderMaker
    private let makeName: @Sendable () -> String
    private let state = Guarded(State())

    /// Prepares the folder's use; nothing is made yet.
    ///
    /// - Parameters:
    ///   - fileSystem: Makes and locks it.
    ///   - layout: Says where `tmp` is.
    ///   - isDurable: Whether the folders on the way must outlast a loss of power.
    ///   - trustsOtherUsers: Whether the directory may be one that other users can write to; then nothing is
    ///     given away either.
    ///   - makeName: A name nobody else takes; asked again where it is taken.
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
        folders = FolderMaker(
            fileSystem: fileSystem,
            isDurable: isDurable,
            givesAway: !trustsOtherUsers
        )
        self.makeName = makeName
    }

    /// The folder's own name, once there is one.
    package var name: String? {
        state.withLock { $0.place?.path }?.split(separator: "/").last.map(String.init)
    }

    /// What went wrong without failing what was asked: files that could not be given to the owner of the
    /// directory, a tag that could not be written, folders that could not be taken away again.
    package var failureCount: Int { folders.failureCount }

    /// Judges the directory, before anything in it is believed.
    ///
    /// One that is missing where other users could make it too is made first, so that they cannot.
    ///
    /// - Throws: Why it is not to be trusted, or the call that failed.
    package func judgeDirectory() throws(FileError) {
        guard try trust.check() == .partialAmongOthers else { return }
        try folders.make(layout.base)
        try trust.check()
    }

    /// Creates a file to write into; the caller closes and renames or removes it.
    package func createFile() throws(FileError) -> (path: String, file: FileDescriptor) {
        try inFolder { place throws(FileError) in try createFile(in: place) }
    }

    /// Takes a file or folder in under a name, in place of what has it here.
    ///
    /// An entry keeps its name, so that a sweep can put it back when this process dies before it is done.
    ///
    /// - Parameters:
    ///   - path: What to take.
    ///   - fileName: What it is called here.
    /// - Returns: Where it is now; `nil` where nothing stands at the path.
    /// - Throws: The call that failed.
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

    /// Puts a small file in place of what stands at a path; all of it or nothing.
    package func replaceFile(at path: String, with text: String) throws(FileError) {
        try inFolder { place throws(FileError) in try replaceFile(at: path, with: text, from: place) }
    }

    /// Makes a folder of the directory and those above it that are missing.
    func makeFolders(_ path: String) throws(FileError) {
        try folders.make(path)
    }

    /// Makes the names in a folder of the directory durable.
    func synchronize(_ path: String) throws(FileError) {
        try folders.synchronize(path)
    }

    /// Lets go of the lock, leaves the folder to whoever looks next, and refuses whatever comes later.
    package func leave() {
        _ = letGo()
    }

    /// Removes the folder, lets go of the lock, and refuses whatever comes later.
    package func close() throws(FileError) {
        guard let place = letGo() else { return }
        do {
            try fileSystem.removeFolder(place.path)
        } catch  where error.isAbsence {
            return
        }
    }
}

/// Making the folder, and making it anew.
extension WriterFolder {
    private func letGo() -> LockedFolder? {
        state.withLock { state in
            state.isClosed = true
            defer { state.place = nil }
            return state.place
        }
    }

    /// Works in the folder, and once more in a new one where somebody has removed it, or the whole cache,
    /// behind our back.
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
        // Another thread may have been faster; two folders would do no harm, but one is enough.
        let place = state.withLock { state in
            if state.place == nil, !state.isClosed { state.place = made }
            return state.place
        }
        if place !== made { folders.removeCounting(made.path) }
        guard let place else { throw closedError }
        return place
    }

    /// Lets go of a folder that is not there any more, unless another thread has done so already.
    private func forgetIfGone(_ place: LockedFolder) throws(FileError) {
        if try place.standsInPlace() { return }
        state.withLock { state in
            if state.place === place { state.place = nil }
        }
    }

    private func make() throws(FileError) -> LockedFolder {
        let presence = try trust.check()
        try folders.make(layout.temporary)
        // What was missing may be somebody else's by now.
        if presence != .complete { try trust.check() }
        let place = try folders.makeLocked(in: layout.temporary, makeName)
        tagRoot(from: place)
        return place
    }

    private var closedError: FileError {
        FileError("write", path: layout.temporary, errorNumber: ESHUTDOWN)
    }
}

/// Files in the folder.
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

    /// Marks the root as a cache, unless something of that name is there; without it the cache is as good.
    private func tagRoot(from place: LockedFolder) {
        do {
            guard try fileSystem.statusIfPresent(layout.cacheTag) == nil else { return }
            try replaceFile(at: layout.cacheTag, with: DirectoryLayout.cacheTagText, from: place)
        } catch {
            folders.countFailure()
        }
    }
}
