import ArgumentParser
import CalotypeCache

struct CachePutCommand: DiskCacheCommand {
    static let configuration = CommandConfiguration(
        commandName: "put",
        abstract: "Stores the bytes of a file under a key, unchanged.",
        discussion: """
            Nothing is decoded: if the entry is not an image, the next load removes it and loads it again. \
            `removed` counts entries evicted to keep the directory's limits.
            """
    )

    @Argument(help: ArgumentHelp("The address that `load` will be given, or a key.", valueName: "key"))
    var key: String

    @Argument(help: ArgumentHelp("The file; “-” is standard input.", valueName: "file"), completion: .file())
    var path: String

    @OptionGroup var cache: CacheOptions
    @OptionGroup var output: OutputOptions

    var createsCache: Bool { true }

    private static let table = Table(columns: [
        .init("BYTES", "bytes", width: 8, alignsRight: true),
        .init("REMOVED", "removed", width: 7, alignsRight: true),
        .init("FILE", "path", width: 0),
    ])

    func execute(_ console: Console, on cache: DiskCache) async throws -> CommandExitCode {
        let data = try await FileBytes.read(path)
        let storeKey = try await CacheKeyText.key(for: key)
        try await cache.store(data, forKey: storeKey)
        // Closing waits for the count anyway; evictions are known only then.
        _ = try await cache.usage()
        let record = Record([
            ("key", .text(storeKey)),
            ("path", .text(cache.path(forKey: storeKey))),
            ("bytes", .bytes(data.count)),
            ("removed", .count(cache.statistics.evictionCount)),
        ])
        try await console.write(record, as: Self.table)
        return .success
    }
}
