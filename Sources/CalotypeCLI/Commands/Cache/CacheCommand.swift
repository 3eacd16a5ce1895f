import ArgumentParser

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
