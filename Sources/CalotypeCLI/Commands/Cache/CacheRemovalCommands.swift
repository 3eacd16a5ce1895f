import ArgumentParser
import CalotypeCache

struct CacheTrimCommand: DiskCacheCommand {
    static let configuration = CommandConfiguration(
        commandName: "trim",
        abstract: "Evicts the least recently used entries down to a size."
    )

    @Option(
        name: .customLong("size"),
        parsing: .unconditional,
        help: ArgumentHelp(
            "Maximum bytes that remain, such as 500MB; default: the directory's limit.",
            valueName: "bytes"
        )
    )
    var maxByteCount: ByteCountArgument?

    @OptionGroup var cache: CacheOptions
    @OptionGroup var output: OutputOptions

    func execute(_ console: Console, on cache: DiskCache) async throws -> CommandExitCode {
        try await console.write(cache.trim(toSize: maxByteCount?.count ?? cache.sizeLimit ?? .max))
        return .success
    }
}

struct CacheExpireCommand: DiskCacheCommand {
    static let configuration = CommandConfiguration(
        commandName: "expire",
        abstract: "Removes expired entries.",
        discussion: "Exit status 1 if files or folders could not be read; all others are processed."
    )

    @OptionGroup var cache: CacheOptions
    @OptionGroup var output: OutputOptions

    func execute(_ console: Console, on cache: DiskCache) async throws -> CommandExitCode {
        var unreadable: [DiskCacheError] = []
        try await console.write(cache.removeExpired { unreadable.append($0) })
        return try await console.tell(unreadable: unreadable)
    }
}

struct CacheClearCommand: DiskCacheCommand {
    static let configuration = CommandConfiguration(
        commandName: "clear",
        abstract: "Removes all entries of the namespace, without confirmation."
    )

    @OptionGroup var cache: CacheOptions
    @OptionGroup var output: OutputOptions

    func execute(_ console: Console, on cache: DiskCache) async throws -> CommandExitCode {
        let bar = ProgressBar(console, totalCount: 0)
        let removed = try await cache.removeAll { bar.show($0) }
        bar.finish()
        try await console.write(removed)
        return .success
    }
}
