import ArgumentParser
import CalotypeCache
import CalotypeSupport
import Foundation

struct CacheNamespacesCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "namespaces",
        abstract: "Lists the namespaces of a cache folder; --namespace is ignored."
    )

    private static let table = Table(columns: [
        .init("ENTRIES", "entries", width: 7, alignsRight: true),
        .init("BYTES", "bytes", width: 8, alignsRight: true),
        .init("NAMESPACE", "namespace", width: 0),
    ])

    @OptionGroup var cache: CacheOptions
    @OptionGroup var output: OutputOptions

    func execute(_ console: Console) async throws -> CommandExitCode {
        try cache.checkPresence()
        var configuration = cache.configuration
        let root = try configuration.layout().root
        let names = await BlockingPool.command.run { Self.namespaces(in: root) }
        for name in names {
            configuration.namespace = name
            let disk = try await DiskCache.open(configuration)
            let usage = try await disk.usage()
            try await disk.close()
            let record = Record([
                ("namespace", .text(name)),
                ("entries", .count(usage.entryCount)),
                ("bytes", .bytes(usage.byteCount)),
            ])
            try await console.write(record, as: Self.table)
        }
        return .success
    }

    /// Returns the folders with entries of this format version; none if there is no cache folder.
    private static func namespaces(in root: String) -> [String] {
        let folders = FileManager.default
        let names: [String]
        do {
            names = try folders.contentsOfDirectory(atPath: root)
        } catch {
            return []
        }
        return names.sorted().filter { name in
            DirectoryLayout.isNamespace(name)
                && folders.fileExists(atPath: DirectoryLayout(root: root, namespace: name).base)
        }
    }
}
