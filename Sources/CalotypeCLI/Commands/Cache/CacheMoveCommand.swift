import ArgumentParser
import CalotypeCache
import CalotypeSupport

/// `calotype cache move`.
struct CacheMoveCommand: DiskCacheCommand {
    static let configuration = CommandConfiguration(
        commandName: "move",
        abstract: "Takes the entries of another cache directory in, and removes it there.",
        discussion: """
            Entries that are here already win. A directory that is not there is nothing to do; one that is \
            no cache is an error. `removed` and `bytes` count what was taken in.
            """
    )

    private static let pool = BlockingPool(width: 1)

    @Argument(
        help: ArgumentHelp(
            "The namespace's folder of the other cache, the one that holds `v1`.",
            valueName: "old"
        )
    )
    var oldFolder: String

    @OptionGroup var cache: CacheOptions
    @OptionGroup var output: OutputOptions

    var createsCache: Bool { true }

    func execute(_ console: Console, on cache: DiskCache) async throws -> ProgramStatus {
        try await Self.pool.run { () throws(CommandError) in try Self.checkCache(at: oldFolder) }
        let bar = ProgressBar(console, totalCount: 0)
        let moved = try await cache.move(from: oldFolder) { bar.show($0) }
        bar.finish()
        try await console.write(moved)
        return .success
    }

    /// Refuses what is there and no directory of a cache, as the folder of its namespaces; blocks.
    private static func checkCache(at path: String) throws(CommandError) {
        guard FileStatus(at: path, followsLinks: false) != nil else { return }
        let layout = "\(path)/v1"
        guard FileStatus(at: layout)?.kind != .folder else { return }
        throw CommandError(
            .noSuchCache,
            detail: "\(path) is no directory of a cache: it has no folder v1; name that of a namespace, such "
                + "as \(path)/default"
        )
    }
}
