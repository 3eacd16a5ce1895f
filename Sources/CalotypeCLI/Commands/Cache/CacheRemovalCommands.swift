import ArgumentParser
import CalotypeCache

/// `calotype cache trim`.
struct CacheTrimCommand: DiskCacheCommand {
    static let configuration = CommandConfiguration(
        commandName: "trim",
        abstract: "Forgets the entries used longest ago until the rest fits."
    )

    @Option(
        name: .customLong("size"),
        parsing: .unconditional,
        help: ArgumentHelp(
            "The bytes that may stay, such as 500MB; the directory's own limit unless given.",
            valueName: "bytes"
        )
    )
    var byteCountMax: ByteCountArgument?

    @OptionGroup var cache: CacheOptions
    @OptionGroup var output: OutputOptions

    func execute(_ console: Console, on cache: DiskCache) async throws -> ProgramStatus {
        try await console.write(cache.trim(toSize: byteCountMax?.count ?? cache.sizeLimit ?? .max))
        return .success
    }
}

/// `calotype cache expire`.
struct CacheExpireCommand: DiskCacheCommand {
    static let configuration = CommandConfiguration(
        commandName: "expire",
        abstract: "Forgets what has expired.",
        discussion: "Exit status 1 where files or folders could not be read; all others are seen to."
    )

    @OptionGroup var cache: CacheOptions
    @OptionGroup var output: OutputOptions

    func execute(_ console: Console, on cache: DiskCache) async throws -> ProgramStatus {
        var unreadable: [DiskCacheError] = []
        try await console.write(cache.removeExpired { unreadable.append($0) })
        return try await console.tell(unreadable: unreadable)
    }
}

/// `calotype cache clear`.
struct CacheClearCommand: DiskCacheCommand {
    static let configuration = CommandConfiguration(
        commandName: "clear",
        abstract: "Forgets everything in the namespace, without asking."
    )

    @OptionGroup var cache: CacheOptions
    @OptionGroup var output: OutputOptions

    func execute(_ console: Console, on cache: DiskCache) async throws -> ProgramStatus {
        let bar = ProgressBar(console, totalCount: 0)
        let removed = try await cache.removeAll { bar.show($0) }
        bar.finish()
        try await console.write(removed)
        return .success
    }
}
