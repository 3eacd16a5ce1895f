import ArgumentParser
import CalotypeCache

/// `calotype cache`: the operator's view of a disk cache.
struct CacheCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cache",
        abstract: "Shows and tends a disk cache.",
        discussion: """
            KEY is what `load` was given, or a key as `list` prints it; text that is no URL is a key as it \
            stands. The directory keeps its own limits and expiry; `limits` shows and sets them. A folder \
            or a namespace that is named and not there is an error, but for `put` and `move`, which make it.
            """,
        subcommands: [
            CacheStatsCommand.self, CacheListCommand.self, CacheNamespacesCommand.self, CachePathCommand.self,
            CacheGetCommand.self, CachePutCommand.self, CacheRemoveCommand.self, CacheTrimCommand.self,
            CacheExpireCommand.self, CacheClearCommand.self, CacheLimitsCommand.self, CacheMoveCommand.self,
            CacheVerifyCommand.self,
        ]
    )
}

/// A command that works on an open disk cache.
protocol DiskCacheCommand: ConsoleCommand {
    var cache: CacheOptions { get }

    /// Whether a cache that is not there is made.
    var createsCache: Bool { get }

    /// Does the work; the cache is closed after it.
    func execute(_ console: Console, on cache: DiskCache) async throws -> ProgramStatus
}

extension DiskCacheCommand {
    var createsCache: Bool { false }

    func execute(_ console: Console) async throws -> ProgramStatus {
        if !createsCache { try cache.checkPresence() }
        let disk = try await DiskCache.open(cache.configuration)
        let result = await Result { () async throws -> ProgramStatus in try await execute(console, on: disk) }
        try await disk.close()
        return try result.get()
    }
}
