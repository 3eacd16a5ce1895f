import CalotypeCache
import CalotypeCore

/// The result of a removal from a cache.
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
    func show(_ progress: DiskProgress) {
        update { line in
            line.totalCount = progress.totalCount
            line.doneCount = progress.finishedCount
        }
    }
}

extension Console {
    /// Reports files and folders that could not be read, and returns the exit status.
    func tell(unreadable errors: [DiskCacheError]) async throws -> CommandExitCode {
        for error in errors { try await report(error: error.description) }
        return errors.isEmpty ? .success : .failure
    }

    /// Prints the number and the size of removed entries.
    func write(_ removed: StoreUsage) async throws {
        try await write(CacheChange.record(removed), as: CacheChange.table)
    }
}
