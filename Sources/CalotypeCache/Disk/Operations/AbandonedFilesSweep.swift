import CalotypeSupport

/// What a sweep came upon.
package struct SweptFiles: Hashable, Sendable {
    /// Files that were removed or put back.
    package var fileCount = 0
    /// Files and folders that could not be read, removed or put back.
    package var failureCount = 0
    /// What the last folder's owner had said it wrote, as it stood there.
    package var written: String?
    /// Folders with entries that were on their way out, left for the caller to empty.
    var asides: [AsideFolder] = []

    /// Adds what was done in another folder, but for what its owner had said.
    fileprivate mutating func add(_ other: SweptFiles) {
        fileCount += other.fileCount
        failureCount += other.failureCount
        asides += other.asides
    }
}

/// Clears what processes that died while writing have left below `tmp`.
///
/// A writer's folder whose lock can be taken has no owner any more. What is named like ours is taken out of
/// it: files that were being written are removed; a file named like an entry had been set aside to be looked
/// at before its removal, and is put back unless a newer one stands in its place. Anything else stays, and
/// its folder with it.
package struct AbandonedFilesSweep: Sendable {
    package let fileSystem: any FileSystem
    package let layout: DirectoryLayout
    package let remover: EntryRemover

    private static let writtenByteCountMax = 4096
    /// How many folders are kept locked at once; what more of them have told stays for the next sweep.
    private static let lockCountMax = 64

    package init(fileSystem: any FileSystem, layout: DirectoryLayout, remover: EntryRemover) {
        self.fileSystem = fileSystem
        self.layout = layout
        self.remover = remover
    }

    /// Sweeps all folders; one that cannot be swept keeps no other from it.
    ///
    /// Where a writer lives, what the dead have told stays for it, with their folders: whoever only reads
    /// would have nobody to tell it to.
    ///
    /// - Parameter leavesAsides: Whether folders with entries that were on their way out stay, for the caller
    ///   to empty: they may hold any number of files.
    /// - Returns: What was done in all of them.
    /// - Throws: The call that failed to list them.
    package func run(leavesAsides: Bool = false) throws(FileError) -> SweptFiles {
        var total = SweptFiles()
        // Locked until everybody has been asked: a process that is being started holds a copy of each lock
        // for a moment, so that one that was given back may not be had again at once.
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
                if swept.written != nil, telling.count < Self.lockCountMax {
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

    /// The names of the writers' folders, of the living and of the dead.
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

    /// Sweeps one folder below `tmp` if nobody owns it.
    ///
    /// - Parameters:
    ///   - name: The folder's own name.
    ///   - leavesTelling: Whether what its owner has told stays, and the folder with it.
    ///   - leavesAsides: Whether folders with entries that were on their way out stay, and the folder with
    ///     them.
    /// - Returns: What was done; `nil` where its owner lives, where nobody can tell, and where it is no
    ///   folder of a writer.
    /// - Throws: The call that failed to open or to list it.
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

    /// The lock of a writer's folder that nobody owns; the caller closes it.
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
            // Without locks nobody can tell whether its owner lives.
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
            // Its owner closed in the moment before the lock was taken, and removed it itself.
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

    /// Removes entries that were on their way out all together.
    private func empty(_ aside: AsideFolder, _ swept: inout SweptFiles) throws(FileError) {
        for item in try items(in: aside.path) {
            let path = "\(aside.path)/\(item.name)"
            if item.status.kind != .folder, EntryName(fileName: item.name) != nil {
                if try fileSystem.removeFileIfPresent(path) { swept.fileCount += 1 }
            } else {
                // Foreign; it goes back where it stood.
                try remover.folder.makeFolders(aside.place)
                try fileSystem.rename(path, to: "\(aside.place)/\(item.name)")
            }
        }
        try removeFolderIfEmpty(aside.path)
    }

    /// A folder that holds anything foreign stays.
    func removeFolderIfEmpty(_ path: String) throws(FileError) {
        do {
            try fileSystem.removeFolder(path)
        } catch  where error.leavesNothingThere || error.meansNotEmpty {
            return
        }
    }

    /// A small file's text; `nil` where it is none.
    func text(of path: String) throws(FileError) -> String? {
        let file = try fileSystem.open(path, as: .read)
        defer { fileSystem.closeAfterFailure(file) }
        return try fileSystem.text(of: file, byteCountMax: Self.writtenByteCountMax)
    }
}

/// What stands in a writer's folder, by its name.
enum WriterFileName {
    /// An entry that was set aside.
    case entry(EntryName)
    /// A file that was being written.
    case unfinished
    /// How much the writer has written.
    case written
    /// One of the 256 folders, with entries that are all to go.
    case removedEntries(folder: Int)

    /// The name of the file that says how much the writer has written.
    static let writtenFile = "written"
    /// What the names of folders with entries to go begin with; a number follows.
    static let removedPrefix = "removed"

    /// The name of one of the 256 folders when it is set aside for the `count`th time or so: the number tells
    /// which, so that what is foreign in it can be put back.
    static func removed(folder: Int, _ count: Int) -> String {
        removedPrefix + String(count * DirectoryWalk.folderCount + folder)
    }

    /// Tells what an item is; `nil` for anything that no writer has put there.
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

    /// Whether a name below `tmp` is one of a writer's folder: `w` and hexadecimal digits.
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
