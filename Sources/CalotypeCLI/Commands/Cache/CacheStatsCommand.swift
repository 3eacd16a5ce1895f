import ArgumentParser
import CalotypeCache
import CalotypeCore

/// `calotype cache stats`.
struct CacheStatsCommand: DiskCacheCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats",
        abstract: "Tells how much the cache holds.",
        discussion:
            "`corrupt` counts entries whose record cannot be read; `verify` checks the images as well."
    )

    @OptionGroup var cache: CacheOptions
    @OptionGroup var output: OutputOptions

    private static let table = Table(columns: [
        .init("ENTRIES", "entries", width: 7, alignsRight: true),
        .init("BYTES", "bytes", width: 8, alignsRight: true),
        .init("LIMIT", "sizeLimit", width: 8, alignsRight: true),
        .init("CORRUPT", "corrupt", width: 7, alignsRight: true),
        .init("OLDEST", "oldest", width: 24),
        .init("NEWEST", "newest", width: 24),
    ])

    func execute(_ console: Console, on cache: DiskCache) async throws -> ProgramStatus {
        let usage = try await cache.usage()
        let entries = try await cache.entries()
        let record = Record([
            ("entries", .count(usage.entryCount)),
            ("bytes", .bytes(usage.byteCount)),
            ("sizeLimit", cache.sizeLimit.map { .bytes($0) }),
            ("corrupt", .count(max(0, usage.entryCount - entries.count))),
            ("oldest", entries.map(\.writtenAt).min().map { .date($0) }),
            ("newest", entries.map(\.writtenAt).max().map { .date($0) }),
        ])
        try await console.write(record, as: Self.table)
        return .success
    }
}
