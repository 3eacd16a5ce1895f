import ArgumentParser
import CalotypeCache

/// `calotype cache`: inspects and maintains a disk cache.
struct CacheCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cache",
        abstract: "Inspects and maintains a disk cache.",
        discussion: """
            KEY is an address given to `load`, or a key as `list` prints it; text that is not a URL is used \
            as a key. Limits and expiry belong to the cache directory; `limits` shows and sets them. A \
            folder or a namespace that does not exist is an error, except for `put` and `move`, which \
            create it.
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

    /// Whether a missing cache is created.
    var createsCache: Bool { get }

    /// Runs the command; the caller closes the cache.
    func execute(_ console: Console, on cache: DiskCache) async throws -> CommandExitCode
}

extension DiskCacheCommand {
    var createsCache: Bool { false }

    func execute(_ console: Console) async throws -> CommandExitCode {
        if !createsCache { try cache.checkPresence() }
        let disk = try await DiskCache.open(cache.configuration)
        let result = await Result { () async throws -> CommandExitCode in try await execute(console, on: disk)
        }
        try await disk.close()
        return try result.get()
    }
}
