import ArgumentParser
import CalotypeCache
import Foundation

struct CacheGetCommand: DiskCacheCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Writes the bytes of an entry to a file; exit status 4 if there is no entry."
    )

    @Argument(help: ArgumentHelp("The address given to `load`, or a key.", valueName: "key"))
    var key: String

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: "The file to write; “-” is standard output.",
        completion: .file()
    )
    var destination: String

    @OptionGroup var existing: OverwriteOptions
    @OptionGroup var cache: CacheOptions
    @OptionGroup var output: OutputOptions

    var writesImageToOutput: Bool { OutputFile.isStandardOutput(destination) }

    private static let table = Table(columns: [
        .init("BYTES", "bytes", width: 8, alignsRight: true), .init("FILE", "path", width: 0),
    ])

    func execute(_ console: Console, on cache: DiskCache) async throws -> CommandExitCode {
        let storeKey = try await CacheKeyText.key(for: key, in: cache)
        guard let blob = try await cache.blob(forKey: storeKey) else {
            return try await console.tellAbsent(key, storeKey: storeKey)
        }
        let writer = await OutputWriter(
            protecting: [cache.path(forKey: storeKey)],
            existing: existing.existing
        )
        try await writer.write(blob.data, to: destination)
        let record = Record([
            ("key", .text(storeKey)), ("path", .text(destination)), ("bytes", .bytes(blob.data.count)),
        ])
        try await console.write(record, as: Self.table)
        return .success
    }
}

extension Console {
    /// Reports that a cache has no entry for a key.
    fileprivate func tellAbsent(_ text: String, storeKey: String) async throws -> CommandExitCode {
        let error = "notInCache: the cache has no entry for this key"
        if isJSON {
            try await write(Record([("key", .text(storeKey))]).withError(error), as: Table(columns: []))
        }
        try await report(error: "\(SafeText.shortened(text)): \(error)")
        return .notInCache
    }
}
