import ArgumentParser
import CalotypeCache
import CalotypeSupport
import Glibc

/// `calotype cache remove`.
struct CacheRemoveCommand: DiskCacheCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Forgets an entry; one that is not there is no failure."
    )

    private static let pool = BlockingPool(width: 1)

    @Argument(help: ArgumentHelp("What `load` was given.", valueName: "key"))
    var key: String

    @OptionGroup var cache: CacheOptions
    @OptionGroup var output: OutputOptions

    func execute(_ console: Console, on cache: DiskCache) async throws -> ProgramStatus {
        let key = try await CacheKeyText.key(for: key, in: cache)
        let path = cache.path(forKey: key)
        let byteCount = await Self.pool.run { Self.byteCount(ofFileAt: path) }
        let isRemoved = try await cache.removeBlob(forKey: key)
        try await console.write(
            isRemoved ? StoreUsage(entryCount: 1, byteCount: byteCount ?? 0) : StoreUsage()
        )
        return .success
    }

    private static func byteCount(ofFileAt path: String) -> Int? {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : nil
    }
}

/// `calotype cache trim`.
struct CacheTrimCommand: DiskCacheCommand {
    static let configuration = CommandConfiguration(
        commandName: "trim",
        abstract: "Forgets the entries used longest ago until the rest fits."
    )

    @Option(
        name: .customLong("size"),
        help: "The bytes that may stay; the directory's own limit unless given."
    )
    var byteCountMax: Int?

    @OptionGroup var cache: CacheOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (byteCountMax ?? 0) >= 0 else { throw ValidationError("--size is at least 0.") }
    }

    func execute(_ console: Console, on cache: DiskCache) async throws -> ProgramStatus {
        try await console.write(cache.trim(toSize: byteCountMax ?? cache.sizeLimit ?? .max))
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
