import CalotypeSupport

/// Moves the entries of another cache directory here, one by one or all at once; existing entries win.
///
/// Only files named like entries are moved and removed; a folder that holds any other file stays with it.
struct DirectoryMove {
    struct Outcome {
        var moved = StoreUsage()
        var droppedCount = 0
    }

    let fileSystem: any FileSystem
    let source: DirectoryLayout
    let target: DirectoryLayout
    let folder: WriterFolder
    let progress: (DiskProgress) -> Void

    /// Moves the entries; does nothing if the source is missing or is the target itself.
    func run() throws(FileError) -> Outcome {
        guard let sourceStatus = try folderIfPresent(source.base) else { return Outcome() }
        try sweepSource()
        guard let targetStatus = try folderIfPresent(target.base) else {
            // The contents of a link's target are merged.
            let isLink = try fileSystem.status(at: source.base).kind == .other
            return isLink ? try merge() : try moveToFreePlace()
        }
        // Dates are ignored: either folder may be written to at this moment, and merging a folder with itself
        // would remove its contents.
        if sourceStatus.device == targetStatus.device, sourceStatus.inode == targetStatus.inode {
            return Outcome()
        }
        return try merge()
    }

    /// Files left in the source by writers that died would keep its folders from being removed.
    private func sweepSource() throws(FileError) {
        let remover = EntryRemover(fileSystem: fileSystem, layout: source, folder: folder)
        _ = try TemporaryFileCleanup(fileSystem: fileSystem, layout: source, remover: remover).run()
    }

    /// Returns the folder at a path, or a link's target folder; `nil` if the path is missing or a file.
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

    /// Moves with one rename if the target does not exist; across file systems, entry by entry.
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

    /// Removes a file that has the name of one of the cache's folders.
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

    /// Moves an entry; returns `false` if one with its name already exists.
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

    /// Copies a file with its dates and renames it into place, unless the name is taken.
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

    /// Removes a folder of the cache if it is empty; one that holds foreign files stays, and so does a link.
    private func removeFolderIfEmpty(_ path: String) throws(FileError) {
        do {
            try fileSystem.removeFolder(path)
        } catch  where error.leavesNothingThere || error.meansNotEmpty {
            return
        }
    }
}
