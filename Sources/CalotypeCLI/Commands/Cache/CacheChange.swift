import CalotypeCache

/// What a command has taken out of a cache.
enum CacheChange {
    static let table = Table(columns: [
        .init("REMOVED", "removed", width: 7, alignsRight: true),
        .init("BYTES", "bytes", width: 8, alignsRight: true),
    ])

    static func record(_ removed: StoreUsage) -> Record {
        Record([("removed", .count(removed.entryCount)), ("bytes", .bytes(removed.byteCount))])
    }
}

extension ProgressBar {
    /// Shows how far the work on a cache is.
    func show(_ progress: DiskProgress) {
        update { line in
            line.totalCount = progress.totalCount
            line.doneCount = progress.finishedCount
        }
    }
}

extension Console {
    /// Tells of files and folders that could not be read, and what that means for how the program ends.
    func tell(unreadable errors: [DiskCacheError]) async throws -> ProgramStatus {
        for error in errors { try await report(error: error.description) }
        return errors.isEmpty ? .success : .failure
    }

    /// Tells what was removed.
    func write(_ removed: StoreUsage) async throws {
        try await write(CacheChange.record(removed), as: CacheChange.table)
    }
}
