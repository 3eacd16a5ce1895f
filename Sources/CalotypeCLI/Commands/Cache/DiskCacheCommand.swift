import CalotypeCache

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
