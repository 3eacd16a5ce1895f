import CalotypeCore
import CalotypeSupport

/// Removal of all entries: the folders are renamed aside, which takes 256 calls whatever their contents, and
/// emptied after the barrier, so that stores can continue.
extension DiskCache {
    /// Removes all entries; writes issued before are removed too, those issued later stay.
    ///
    /// Reads issued later miss, even before this returns.
    ///
    /// - Returns: The removed entries and bytes.
    /// - Throws: ``DiskCacheError`` for the first file that could not be removed; the others are removed.
    @discardableResult
    public func removeAll() async throws(DiskCacheError) -> StoreUsage {
        try await removeAll(progress: { _ in })
    }

    /// Removes all entries as ``removeAll()`` does, and reports progress.
    ///
    /// - Parameter progress: Called at most 256 times, on one of the cache's own threads; its total excludes
    ///   entries that have not been counted yet.
    /// - Returns: The removed entries and bytes.
    /// - Throws: ``DiskCacheError`` for the first file that could not be removed; the others are removed.
    @discardableResult
    public func removeAll(
        progress: @escaping @Sendable (DiskProgress) -> Void
    ) async throws(DiskCacheError) -> StoreUsage {
        let result: Result<StoreUsage, DiskCacheError> = await handedOver { handOver in
            let isIssued = issue(.barrier, { $0.beginClearing() }) { cache in
                defer { cache.state.withLock { $0.endClearing() } }
                do throws(DiskCacheError) {
                    try cache.throwIfRefused()
                } catch {
                    return { handOver(.failure(error)) }
                }
                cache.putBackAsides()
                let clearing = cache.setAllAside()
                // Enqueued before the turn ends, so that closing waits for it.
                cache.maintenancePool.enqueue { handOver(cache.finish(clearing, progress)) }
                return {}
            }
            if !isIssued { handOver(.failure(.closed)) }
        }
        return try result.get()
    }

    private struct Clearing: Sendable {
        // Folders of entries that have been renamed aside.
        var asides: [AsideFolder]
        var removed = StoreUsage()
        // Entries known before the removal.
        var totalCount = 0
        var problem: FileError?
    }

    private func setAllAside() -> Clearing {
        var clearing = state.withLock { state in
            Clearing(asides: state.takeUnemptied(), totalCount: state.usage.entryCount)
        }
        var discarded: [DiskIndex<LRUDiskPolicy>] = []
        for index in shards.indices {
            let place = "\(layout.base)/\(EntryName.folderName(at: index))"
            do throws(FileError) {
                let name = WriterFileName.removed(folder: index, state.withLock { $0.nextAsideNumber() })
                let aside = try folder.take(place, as: name)
                if let aside { clearing.asides.append(AsideFolder(path: aside, place: place)) }
                // If the folder is missing, another process has removed its known entries.
                discarded.append(state.withLock { $0.didClear(index, isOwn: aside != nil) })
            } catch {
                remove(inFolderAt: index, &clearing)
            }
        }
        return clearing
    }

    /// Removes the entries of a folder that cannot be renamed, one after another.
    private func remove(inFolderAt index: Int, _ clearing: inout Clearing) {
        do throws(FileError) {
            for entry in try directory.entries(inFolderAt: index) {
                do throws(FileError) {
                    if try remover.remove(entry.name) {
                        clearing.removed = clearing.removed + entry.usage
                    }
                    state.withLock { $0.didRemove(entry.name, isOwn: true) }
                } catch {
                    clearing.problem = clearing.problem ?? error
                }
            }
        } catch {
            clearing.problem = clearing.problem ?? error
        }
    }

    private func finish(
        _ started: Clearing,
        _ progress: (DiskProgress) -> Void
    ) -> Result<StoreUsage, DiskCacheError> {
        var clearing = started
        for aside in started.asides {
            do throws(FileError) {
                try empty(aside, &clearing)
            } catch {
                clearing.problem = clearing.problem ?? error
                state.withLock { $0.noteUnemptied(aside) }
            }
            let count = clearing.removed.entryCount
            progress(DiskProgress(finishedCount: count, totalCount: max(clearing.totalCount, count)))
        }
        if let problem = clearing.problem { return .failure(DiskCacheError(problem, path: layout.base)) }
        return .success(clearing.removed)
    }

    /// Counts a sweep's results and records the folders that it left to be emptied.
    func take(_ swept: SweptFiles) {
        front.withLock { front in
            front.statistics.sweptFileCount += swept.fileCount
            front.statistics.maintenanceFailureCount += swept.failureCount
        }
        guard !swept.asides.isEmpty else { return }
        state.withLock { $0.unemptied += swept.asides }
    }

    /// Empties folders that a dead process had set aside, in the background because they may be large, and
    /// removes its writer's folder if that is empty then.
    func emptyAsidesInBackground() {
        let asides = state.withLock(\.unemptied)
        guard !asides.isEmpty else { return }
        maintenancePool.enqueue {
            self.emptyAsides()
            let own = self.folder.name.map { "\(self.layout.temporary)/\($0)" }
            for case let owner? in Set(asides.map(\.path.parentFolder)) where owner != own {
                do {
                    try self.sweep.removeFolderIfEmpty(owner)
                } catch {
                    self.front.withLock { $0.statistics.maintenanceFailureCount += 1 }
                }
            }
        }
    }

    /// Retries emptying folders that could not be emptied; blocks.
    func emptyAsides() {
        let asides = state.withLock { $0.takeUnemptied() }
        guard !asides.isEmpty else { return }
        _ = finish(Clearing(asides: asides)) { _ in }
    }

    /// Removes a folder set aside and its entries; foreign files, and those that cannot be removed, are put
    /// back.
    private func empty(_ aside: AsideFolder, _ clearing: inout Clearing) throws(FileError) {
        // Another process that found the folder before it was renamed may store into it once more.
        for _ in 0..<8 {
            try removeEntries(in: aside, &clearing)
            do throws(FileError) {
                return try fileSystem.removeFolder(aside.path)
            } catch  where error.leavesNothingThere {
                return
            } catch  where error.meansNotEmpty {
                continue
            }
        }
        try fileSystem.removeFolder(aside.path)
    }

    private func removeEntries(in aside: AsideFolder, _ clearing: inout Clearing) throws(FileError) {
        var ours: [(name: EntryName, byteCount: Int)] = []
        var foreign: [String] = []
        try fileSystem.list(aside.path) { item in
            if item.status.kind != .folder, let name = EntryName(fileName: item.name) {
                ours.append((name, min(item.status.byteCount, EntryRecord.maxFileByteCount + 1)))
            } else {
                foreign.append(item.name)
            }
        }
        for (name, byteCount) in ours {
            do throws(FileError) {
                guard try fileSystem.removeFileIfPresent("\(aside.path)/\(name.fileName)") else { continue }
                clearing.removed = clearing.removed + StoreUsage(entryCount: 1, byteCount: byteCount)
            } catch {
                clearing.problem = clearing.problem ?? error
                try folder.makeFolders(aside.place)
                try remover.putBack("\(aside.path)/\(name.fileName)", to: layout.path(of: name))
                takeIn(name, try fileSystem.status(at: layout.path(of: name)))
            }
        }
        if !foreign.isEmpty { try folder.makeFolders(aside.place) }
        for name in foreign {
            do throws(FileError) {
                try fileSystem.rename("\(aside.path)/\(name)", to: "\(aside.place)/\(name)")
            } catch {
                clearing.problem = clearing.problem ?? error
            }
        }
    }
}

/// A folder of entries that has been renamed aside, to be emptied.
struct AsideFolder: Hashable, Sendable {
    let path: String
    /// The original path.
    let place: String
}

extension DiskIndexEntry {
    fileprivate var usage: StoreUsage { StoreUsage(entryCount: 1, byteCount: byteCount) }
}

extension DiskCacheState {
    /// Hides everything issued before from reads.
    fileprivate mutating func beginClearing() {
        for shard in shards { shard.state.withLock { $0.staged.beginClearing() } }
    }

    fileprivate mutating func takeUnemptied() -> [AsideFolder] {
        defer { unemptied = [] }
        return unemptied
    }

    fileprivate mutating func noteUnemptied(_ aside: AsideFolder) {
        unemptied.append(aside)
    }

    fileprivate mutating func nextAsideNumber() -> Int {
        asideCount += 1
        return asideCount
    }

    fileprivate mutating func endClearing() {
        for shard in shards { shard.state.withLock { $0.staged.endClearing() } }
    }

    /// Forgets a folder's entries, whose files are gone; the caller releases the returned index outside the
    /// lock.
    fileprivate mutating func didClear(_ folder: Int, isOwn: Bool) -> DiskIndex<LRUDiskPolicy> {
        let (discarded, change) = change(folder) { $0.didClear() }
        noteLoss(change, in: folder, isOwn: isOwn)
        return discarded
    }
}
