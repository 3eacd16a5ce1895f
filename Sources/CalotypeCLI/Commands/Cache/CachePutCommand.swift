import ArgumentParser
import CalotypeCache

/// `calotype cache put`.
struct CachePutCommand: DiskCacheCommand {
    static let configuration = CommandConfiguration(
        commandName: "put",
        abstract: "Stores the bytes of a file under a key, as they are.",
        discussion: """
            Nothing is decoded: an entry that turns out to be no image is removed and loaded anew by the \
            next load. `removed` counts the entries that left for this one, to keep the directory's limits.
            """
    )

    @Argument(help: ArgumentHelp("What `load` will be given.", valueName: "key"))
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

    func execute(_ console: Console, on cache: DiskCache) async throws -> ProgramStatus {
        let data = try await FileBytes.read(path)
        let storeKey = try await CacheKeyText.key(for: key)
        try await cache.store(data, forKey: storeKey)
        // Closing waits for the count too; only then is it known what has left.
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
