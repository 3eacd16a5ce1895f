import ArgumentParser
import CalotypeCache

struct CacheListCommand: DiskCacheCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the entries, the least recently used first.",
        discussion: "Exit status 1 if files or folders could not be read; all others are listed."
    )

    @OptionGroup var cache: CacheOptions
    @OptionGroup var output: OutputOptions

    private static let table = Table(columns: [
        .init("BYTES", "bytes", width: 8, alignsRight: true),
        .init("WRITTEN", "written", width: 24),
        .init("ACCESSED", "accessed", width: 24),
        .init("EXPIRES", "expires", width: 24),
        .init("KEY", "key", width: 0),
    ])

    func execute(_ console: Console, on cache: DiskCache) async throws -> CommandExitCode {
        var unreadable: [DiskCacheError] = []
        let found = try await cache.entries { unreadable.append($0) }
        let entries = found.sorted { ($0.accessedAt, $0.key) < ($1.accessedAt, $1.key) }
        for entry in entries {
            let record = Record([
                ("key", .text(entry.key)),
                ("path", .text(entry.path)),
                ("bytes", .bytes(entry.byteCount)),
                ("written", .date(entry.writtenAt)),
                ("accessed", .date(entry.accessedAt)),
                ("expires", entry.expiresAt.map { .date($0) }),
            ])
            try await console.write(record, as: Self.table)
        }
        return try await console.tell(unreadable: unreadable)
    }
}
