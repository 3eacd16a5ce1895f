import ArgumentParser
import CalotypeCache

struct CachePathCommand: DiskCacheCommand {
    static let configuration = CommandConfiguration(
        commandName: "path",
        abstract: "Prints the path of an entry's file; exit status 4 if there is no entry."
    )

    @Argument(help: ArgumentHelp("The address given to `load`, or a key.", valueName: "key"))
    var key: String

    @OptionGroup var cache: CacheOptions
    @OptionGroup var output: OutputOptions

    private static let table = Table(columns: [.init("PATH", "path", width: 0)], hasHeader: false)

    func execute(_ console: Console, on cache: DiskCache) async throws -> CommandExitCode {
        let key = try await CacheKeyText.key(for: key, in: cache)
        let exists = try await cache.contains(key)
        let record = Record([
            ("key", .text(key)),
            ("path", .text(cache.path(forKey: key))),
            ("exists", .flag(exists)),
        ])
        try await console.write(record, as: Self.table)
        return exists ? .success : .notInCache
    }
}
