import ArgumentParser
import CalotypeCache
import CalotypeCore

struct CacheStatsCommand: DiskCacheCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats",
        abstract: "Shows the number and the size of the entries.",
        discussion:
            """
            `corrupt` counts entries with an invalid record; `verify` checks the images as well. \
            `unreadable` counts files and folders that the system could not read; if there are any, the \
            exit status is 1.
            """
    )

    @OptionGroup var cache: CacheOptions
    @OptionGroup var output: OutputOptions

    private static let table = Table(columns: [
        .init("ENTRIES", "entries", width: 7, alignsRight: true),
        .init("BYTES", "bytes", width: 8, alignsRight: true),
        .init("LIMIT", "sizeLimit", width: 8, alignsRight: true),
        .init("CORRUPT", "corrupt", width: 7, alignsRight: true),
        .init("UNREADABLE", "unreadable", width: 10, alignsRight: true),
        .init("OLDEST", "oldest", width: 24),
        .init("NEWEST", "newest", width: 24),
    ])

    func execute(_ console: Console, on cache: DiskCache) async throws -> CommandExitCode {
        let usage = try await cache.usage()
        var unreadable: [DiskCacheError] = []
        let entries = try await cache.entries { unreadable.append($0) }
        let record = Record([
            ("entries", .count(usage.entryCount)),
            ("bytes", .bytes(usage.byteCount)),
            ("sizeLimit", cache.sizeLimit.map { .bytes($0) }),
            ("corrupt", .count(max(0, usage.entryCount - entries.count - unreadable.count))),
            ("unreadable", .count(unreadable.count)),
            ("oldest", entries.map(\.writtenAt).min().map { .date($0) }),
            ("newest", entries.map(\.writtenAt).max().map { .date($0) }),
        ])
        try await console.write(record, as: Self.table)
        if let problem = cache.openingError { try await console.report(warning: problem.description) }
        return try await console.tell(unreadable: unreadable)
    }
}
