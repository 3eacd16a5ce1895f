import CalotypeSupport

/// Takes another cache directory in, entry by entry or at once; existing entries win.
///
/// Only what is named like ours is taken and removed; a folder that holds anything else stays with it.
struct DirectoryMove {
    /// What became of a move.
    struct Outcome {
        var moved = StoreUsage()
        var droppedCount = 0
    }

    let fileSystem: any FileSystem
    let source: DirectoryLayout
    let target: DirectoryLayout
    let folder: WriterFolder
    let progress: (DiskProgress) -> Void

    /// Moves; a source that is not there, or is the target itself, is nothing to do.
    func run() throws(FileError) -> Outcome {
        guard let sourceStatus = try folderIfPresent(source.base) else { return Outcome() }
        try sweepSource()
        guard let targetStatus = try folderIfPresent(target.base) else {
            // What a link leads to is taken in from there.
            let isLink = try fileSystem.status(at: source.base).kind == .other
            return isLink ? try merge() : try moveToFreePlace()
        }
        // Dates do not count: either may be written to at this moment, and merging one folder with itself
        // would remove what is in it.
        if sourceStatus.device == targetStatus.device, sourceStatus.inode == targetStatus.inode {
            return Outcome()
        }
        return try merge()
    }

    /// What writers have left that died there would keep its folders from being removed.
    private func sweepSource() throws(FileError) {
        let remover = EntryRemover(fileSystem: fileSystem, layout: source, folder: folder)
        _ = try AbandonedFilesSweep(fileSystem: fileSystem, layout: source, remover: remover).run()
    }

    /// The folder at a path, also one that a link there leads to; `nil` for nothing and for a file.
    private func folderIfPresent(_ path: String) throws(FileError) -> FileStatus? {
        guard let status = try fileSystem.statusIfPresent(path) else { return nil }
        switch status.kind {
        case .folder: return status
        case .file: return nil
        case .other:
            guard let target = try fileSystem.statusIfPresent(path + "/.") else {
                throw FileError("stat", path: path, errorNumber: ENOTDIR)
            }
            return target
        }
    }

    /// One rename where nothing stands in the way; across file systems entry by entry.
    private func moveToFreePlace() throws(FileError) -> Outcome {
        let usage = try sourceUsage()
        if let parent = target.base.parentFolder {
            try clearPlace(parent)
            try folder.makeFolders(parent)
        }
        try clearPlace(target.base)
        do {
            try fileSystem.rename(source.base, to: target.base)
        } catch  where error.errorNumber == EXDEV {
            return try merge()
        }
        try removeNamespaceIfEmpty()
        return Outcome(moved: usage)
    }

    /// A file where one of the cache's folders belongs is replaced.
    private func clearPlace(_ path: String) throws(FileError) {
        guard try folderIfPresent(path) == nil else { return }
        try fileSystem.removeFileIfPresent(path)
    }

    private func merge() throws(FileError) -> Outcome {
        var outcome = Outcome()
        let totalCount = try sourceUsage().entryCount
        let scan = DirectoryScan(fileSystem: fileSystem, layout: source)
        for index in 0..<256 {
            for entry in try scan.entries(inFolderAt: index) {
                if try move(entry) {
                    outcome.moved.entryCount += 1
                    outcome.moved.byteCount += entry.byteCount
                } else {
                    outcome.droppedCount += 1
                }
            }
            try removeFolderIfEmpty("\(source.base)/\(EntryName.folderName(at: index))")
            let finishedCount = outcome.moved.entryCount + outcome.droppedCount
            progress(DiskProgress(finishedCount: finishedCount, totalCount: totalCount))
        }
        try fileSystem.removeFileIfPresent(source.settings)
        try removeFolderIfEmpty(source.temporary)
        try removeFolderIfEmpty(source.base)
        try removeNamespaceIfEmpty()
        return outcome
    }

    /// Moves an entry; returns `false` where one of its name was there already.
    private func move(_ entry: DiskIndexEntry) throws(FileError) -> Bool {
        let from = source.path(of: entry.name)
        let to = target.path(of: entry.name)
        var isMoved = true
        do throws(FileError) {
            try folder.makeFolders(target.folder(of: entry.name))
            try fileSystem.link(from, to: to)
        } catch  where error.errorNumber == EEXIST {
            isMoved = false
        } catch  where [EXDEV, EPERM, EOPNOTSUPP, EMLINK].contains(error.errorNumber) {
            isMoved = try copy(from, to: to)
        }
        try fileSystem.removeFileIfPresent(from)
        return isMoved
    }

    /// Copies a file with its dates and puts it in place unless the name is taken.
    private func copy(_ from: String, to: String) throws(FileError) -> Bool {
        guard try fileSystem.statusIfPresent(to) == nil else { return false }
        let original = try fileSystem.open(from, as: .read)
        defer { fileSystem.closeAfterFailure(original) }
        let status = try fileSystem.status(of: original)
        let (path, file) = try folder.createFile()
        do {
            try fill(file, from: original, status)
            try fileSystem.rename(path, to: to)
        } catch {
            try fileSystem.removeFileIfPresent(path)
            throw error
        }
        return true
    }

    private func fill(
        _ file: FileDescriptor,
        from original: FileDescriptor,
        _ status: FileStatus
    ) throws(FileError) {
        do {
            try fileSystem.copy(from: original, to: file, byteCount: status.byteCount)
            try fileSystem.setTimes(of: file, accessedAt: status.accessedAt, writtenAt: status.writtenAt)
        } catch {
            fileSystem.closeAfterFailure(file)
            throw error
        }
        try fileSystem.close(file)
    }

    private func sourceUsage() throws(FileError) -> StoreUsage {
        var usage = StoreUsage()
        try DirectoryScan(fileSystem: fileSystem, layout: source).forEachFolder { entries in
            usage.entryCount += entries.count
            usage.byteCount += entries.reduce(0) { $0 + $1.byteCount }
        }
        return usage
    }

    private func removeNamespaceIfEmpty() throws(FileError) {
        if let namespace = source.base.parentFolder { try removeFolderIfEmpty(namespace) }
    }

    /// Removes a folder that is ours and empty; one that holds something foreign stays, and so does a link.
    private func removeFolderIfEmpty(_ path: String) throws(FileError) {
        do {
            try fileSystem.removeFolder(path)
        } catch  where error.leavesNothingThere || error.meansNotEmpty {
            return
        }
    }
}
