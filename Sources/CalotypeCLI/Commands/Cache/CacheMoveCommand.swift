import ArgumentParser
import CalotypeCache
import CalotypeSupport

struct CacheMoveCommand: DiskCacheCommand {
    static let configuration = CommandConfiguration(
        commandName: "move",
        abstract: "Moves the entries of another cache directory into this cache.",
        discussion: """
            Existing entries win over moved ones. A missing directory is not an error; one that is not a \
            cache is. `removed` and `bytes` count the moved entries.
            """
    )

    @Argument(
        help: ArgumentHelp(
            "The namespace folder of the other cache, which contains `v1`.",
            valueName: "old"
        )
    )
    var oldFolder: String

    @OptionGroup var cache: CacheOptions
    @OptionGroup var output: OutputOptions

    var createsCache: Bool { true }

    func execute(_ console: Console, on cache: DiskCache) async throws -> CommandExitCode {
        try await BlockingPool.command.run { () throws(CommandError) in try Self.checkCache(at: oldFolder) }
        let bar = ProgressBar(console, totalCount: 0)
        let moved = try await cache.move(from: oldFolder) { bar.show($0) }
        bar.finish()
        try await console.write(moved)
        return .success
    }

    /// Rejects an existing path that is not a namespace folder of a cache; blocks.
    private static func checkCache(at path: String) throws(CommandError) {
        guard FileStatus(at: path, followsLinks: false) != nil else { return }
        let layout = "\(path)/v1"
        guard FileStatus(at: layout)?.kind != .folder else { return }
        throw CommandError(
            .noSuchCache,
            detail: "\(path) is not a cache directory, since it has no folder v1; name a namespace folder, "
                + "such as \(path)/default"
        )
    }
}
