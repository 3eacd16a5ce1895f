import CalotypeSupport

/// The result of a sweep.
package struct SweptFiles: Hashable, Sendable {
    /// The number of files removed or put back.
    package var fileCount = 0
    /// The number of files and folders that could not be read, removed or put back.
    package var failureCount = 0
    /// The text of the last folder's `written` file.
    package var written: String?
    /// Folders of entries that were being removed, left for the caller to empty.
    var asides: [AsideFolder] = []

    /// Adds the result of another folder, except for `written`.
    fileprivate mutating func add(_ other: SweptFiles) {
        fileCount += other.fileCount
        failureCount += other.failureCount
        asides += other.asides
    }
}

/// Cleans up after processes that died while writing below `tmp`.
///
/// A writer's folder whose lock can be taken has no owner any more. The sweep removes unfinished files in it.
/// A file named like an entry had been set aside for a check before its removal; it is put back unless a
/// newer one has its name. Foreign files stay, and their folder with them.
package struct TemporaryFileCleanup: Sendable {
    package let fileSystem: any FileSystem
    package let layout: DirectoryLayout
    package let remover: EntryRemover

    private static let maxWrittenByteCount = 4096
    /// The number of folders locked at once; the reports of further folders stay for the next sweep.
    private static let maxLockCount = 64

    package init(fileSystem: any FileSystem, layout: DirectoryLayout, remover: EntryRemover) {
        self.fileSystem = fileSystem
        self.layout = layout
        self.remover = remover
    }

    /// Sweeps all folders; a failure in one does not stop the others.
    ///
    /// While any writer lives, the reports of dead ones and their folders stay, so that a living writer can
    /// include them: a cache that only reads cannot pass them on.
    ///
    /// - Parameter leavesAsides: Whether to leave folders of entries that were being removed for the caller
    ///   to empty; they may hold any number of files.
    /// - Returns: The result for all folders.
    /// - Throws: The call that failed to list them.
    package func run(leavesAsides: Bool = false) throws(FileError) -> SweptFiles {
        var total = SweptFiles()
        // Each lock is held until all folders have been tried: a process that is being started briefly holds
        // a copy of each lock, so a released lock might not be free again at once.
        var telling: [(path: String, lock: FileDescriptor)] = []
        defer { for folder in telling { fileSystem.closeAfterFailure(folder.lock) } }
        var isAnybodyAlive = false
        for name in try writerFolders() {
            do throws(FileError) {
                guard let lock = try lockIfAbandoned(name) else {
                    isAnybodyAlive = true
                    continue
                }
                let path = self.path(of: name)
                let swept = sweepLocked(path, leavesTelling: true, leavesAsides: leavesAsides)
                total.add(swept)
                if swept.written != nil, telling.count < Self.maxLockCount {
                    telling.append((path, lock))
                } else {
                    fileSystem.closeAfterFailure(lock)
                }
            } catch {
                total.failureCount += 1
            }
        }
        guard !isAnybodyAlive else { return total }
        for folder in telling {
            total.failureCount += sweepLocked(folder.path, leavesAsides: leavesAsides).failureCount
        }
        return total
    }

    /// Returns the names of all writers' folders, abandoned or not.
    func writerFolders() throws(FileError) -> [String] {
        var names: [String] = []
        do {
            try fileSystem.list(layout.temporary) { item in
                if item.status.kind == .folder, WriterFileName.isFolder(item.name) { names.append(item.name) }
            }
        } catch  where error.leavesNothingThere {
            return []
        }
        return names
    }

    /// Sweeps one folder below `tmp` if it is abandoned.
    ///
    /// - Parameters:
    ///   - name: The folder's own name.
    ///   - leavesTelling: Whether the owner's report stays, and the folder with it.
    ///   - leavesAsides: Whether folders of entries that were being removed stay, and the folder with them.
    /// - Returns: The result; `nil` if its owner lives, if locks are not supported, or if it is not a
    ///   writer's folder.
    /// - Throws: The call that failed to open or list it.
    package func sweepIfAbandoned(
        _ name: String,
        leavesTelling: Bool = false,
        leavesAsides: Bool = false
    ) throws(FileError) -> SweptFiles? {
        guard let lock = try lockIfAbandoned(name) else { return nil }
        defer { fileSystem.closeAfterFailure(lock) }
        return sweepLocked(path(of: name), leavesTelling: leavesTelling, leavesAsides: leavesAsides)
    }

    private func path(of name: String) -> String { "\(layout.temporary)/\(name)" }

    /// Returns the lock of an abandoned writer's folder; the caller closes it.
    private func lockIfAbandoned(_ name: String) throws(FileError) -> FileDescriptor? {
        guard WriterFileName.isFolder(name) else { return nil }
        let lock: FileDescriptor
        do {
            lock = try fileSystem.open(path(of: name), as: .folder)
        } catch  where error.leavesNothingThere {
            return nil
        }
        do throws(FileError) {
            if try fileSystem.tryLock(lock) { return lock }
        } catch {
            fileSystem.closeAfterFailure(lock)
            // Without lock support, an abandoned folder cannot be distinguished from one in use.
            if error.meansNoLocks { return nil }
            throw error
        }
        fileSystem.closeAfterFailure(lock)
        return nil
    }

    private func sweepLocked(
        _ folder: String,
        leavesTelling: Bool = false,
        leavesAsides: Bool
    ) -> SweptFiles {
        var swept = SweptFiles()
        do throws(FileError) {
            for item in try items(in: folder) {
                do throws(FileError) {
                    try clear(item, in: folder, leavesTelling, leavesAsides, &swept)
                } catch {
                    swept.failureCount += 1
                }
            }
            try removeFolderIfEmpty(folder)
        } catch {
            swept.failureCount += 1
        }
        return swept
    }

    private func clear(
        _ item: FolderItem,
        in folder: String,
        _ leavesTelling: Bool,
        _ leavesAsides: Bool,
        _ swept: inout SweptFiles
    ) throws(FileError) {
        let path = "\(folder)/\(item.name)"
        switch WriterFileName(item) {
        case .entry(let name):
            try putBack(path, as: name)
            swept.fileCount += 1
        case .unfinished:
            if try fileSystem.removeFileIfPresent(path) { swept.fileCount += 1 }
        case .written:
            swept.written = try text(of: path)
            if !leavesTelling { try fileSystem.removeFileIfPresent(path) }
        case .removedEntries(let index):
            let aside = AsideFolder(path: path, place: place(ofFolderAt: index))
            if leavesAsides { swept.asides.append(aside) } else { try empty(aside, &swept) }
        case nil: return
        }
    }

    private func items(in folder: String) throws(FileError) -> [FolderItem] {
        var items: [FolderItem] = []
        do {
            try fileSystem.list(folder) { items.append($0) }
        } catch  where error.leavesNothingThere {
            // Its owner closed it just before the lock was taken, and removed it itself.
        }
        return items
    }

    private func putBack(_ path: String, as name: EntryName) throws(FileError) {
        do {
            try remover.putBack(path, to: layout.path(of: name))
        } catch  where error.leavesNothingThere {
            // Its folder is gone: the cache has been cleared since.
            try fileSystem.removeFileIfPresent(path)
        }
    }

    private func place(ofFolderAt index: Int) -> String {
        "\(layout.base)/\(EntryName.folderName(at: index))"
    }

    /// Removes the entries of a folder that was being removed.
    private func empty(_ aside: AsideFolder, _ swept: inout SweptFiles) throws(FileError) {
        for item in try items(in: aside.path) {
            let path = "\(aside.path)/\(item.name)"
            if item.status.kind != .folder, EntryName(fileName: item.name) != nil {
                if try fileSystem.removeFileIfPresent(path) { swept.fileCount += 1 }
            } else {
                // Foreign: moved back to its original folder.
                try remover.folder.makeFolders(aside.place)
                try fileSystem.rename(path, to: "\(aside.place)/\(item.name)")
            }
        }
        try removeFolderIfEmpty(aside.path)
    }

    /// Removes a folder unless it holds foreign files.
    func removeFolderIfEmpty(_ path: String) throws(FileError) {
        do {
            try fileSystem.removeFolder(path)
        } catch  where error.leavesNothingThere || error.meansNotEmpty {
            return
        }
    }

    /// Returns a small file's text; `nil` if it is not valid UTF-8.
    func text(of path: String) throws(FileError) -> String? {
        let file = try fileSystem.open(path, as: .read)
        defer { fileSystem.closeAfterFailure(file) }
        return try fileSystem.text(of: file, maxByteCount: Self.maxWrittenByteCount)
    }
}

/// The kind of an item in a writer's folder, derived from its name.
enum WriterFileName {
    /// An entry that was set aside.
    case entry(EntryName)
    /// A file that was not yet complete.
    case unfinished
    /// The writer's report of how much it has written.
    case written
    /// One of the 256 folders, whose entries are all being removed.
    case removedEntries(folder: Int)

    static let writtenFile = "written"
    /// The prefix of the names of folders with entries being removed; a number follows.
    static let removedPrefix = "removed"

    /// Returns the name for one of the 256 folders that is set aside.
    ///
    /// The number encodes the folder, so that foreign files can be put back, and `count`, which makes it
    /// unique.
    static func removed(folder: Int, _ count: Int) -> String {
        removedPrefix + String(count * DirectoryWalk.folderCount + folder)
    }

    /// Parses the name of an item; `nil` if no writer can have put it there.
    init?(_ item: FolderItem) {
        if item.status.kind == .folder {
            guard item.name.hasPrefix(Self.removedPrefix),
                Self.isNumber(item.name.dropFirst(Self.removedPrefix.count)),
                let number = UInt64(item.name.dropFirst(Self.removedPrefix.count))
            else { return nil }
            self = .removedEntries(folder: Int(number % UInt64(DirectoryWalk.folderCount)))
        } else if let name = EntryName(fileName: item.name) {
            self = .entry(name)
        } else if item.name == Self.writtenFile {
            self = .written
        } else if Self.isNumber(item.name[...]) {
            self = .unfinished
        } else {
            return nil
        }
    }

    /// Returns whether a name below `tmp` is that of a writer's folder: `w` and hexadecimal digits.
    static func isFolder(_ name: String) -> Bool {
        let digits = name.utf8.dropFirst()
        return name.utf8.first == UInt8(ascii: "w") && (1...16).contains(digits.count)
            && digits.allSatisfy { isDecimal($0) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0) }
    }

    private static func isNumber(_ text: Substring) -> Bool {
        (1...19).contains(text.utf8.count) && text.utf8.allSatisfy(isDecimal)
    }

    private static func isDecimal(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
