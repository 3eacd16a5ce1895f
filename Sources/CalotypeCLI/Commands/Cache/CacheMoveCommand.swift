import ArgumentParser
import CalotypeCache

/// `calotype cache move`.
struct CacheMoveCommand: DiskCacheCommand {
    static let configuration = CommandConfiguration(
        commandName: "move",
        abstract: "Takes the entries of another cache directory in, and removes it there.",
        discussion: """
            Entries that are here already win. A directory that is not there is nothing to do. `removed` and \
            `bytes` count what was taken in.
            """
    )

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
        let bar = ProgressBar(console, totalCount: 0)
        let moved = try await cache.move(from: oldFolder) { bar.show($0) }
        bar.finish()
        try await console.write(moved)
        return .success
    }
}
