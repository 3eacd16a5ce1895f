import ArgumentParser
import CalotypeCache

/// `calotype cache`: the operator's view of a disk cache.
struct CacheCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cache",
        abstract: "Shows and tends a disk cache.",
        discussion: """
            KEY is what `load` was given, or a key as `list` prints it; text that is no URL is a key as it \
            stands. The directory keeps its own limits and expiry; none of these commands changes them.
            """,
        subcommands: [
            CacheStatsCommand.self, CacheListCommand.self, CacheNamespacesCommand.self, CachePathCommand.self,
            CacheGetCommand.self, CachePutCommand.self, CacheRemoveCommand.self, CacheTrimCommand.self,
            CacheExpireCommand.self, CacheClearCommand.self, CacheMoveCommand.self, CacheVerifyCommand.self,
        ]
    )
}

/// A command that works on an open disk cache.
protocol DiskCacheCommand: ConsoleCommand {
    var cache: CacheOptions { get }

    /// Does the work; the cache is closed after it.
    func execute(_ console: Console, on cache: DiskCache) async throws -> ProgramStatus
}

extension DiskCacheCommand {
    func execute(_ console: Console) async throws -> ProgramStatus {
        let disk = try await DiskCache.open(cache.configuration)
        let result = await Result { () async throws -> ProgramStatus in try await execute(console, on: disk) }
        try await disk.close()
        return try result.get()
    }
}
