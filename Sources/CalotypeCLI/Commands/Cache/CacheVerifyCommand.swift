import ArgumentParser
import CalotypeCache

struct CacheVerifyCommand: DiskCacheCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Reads and checks every entry; exit status 3 if damaged entries remain.",
        discussion: """
            Files that are not named like entries are ignored. `unreadable` counts files and folders that \
            the system could not read; they are reported, and without damage the exit status is 1.
            """
    )

    @Flag(help: "Remove damaged entries; exit status 0 if all could be removed.")
    var repair = false

    @OptionGroup var cache: CacheOptions
    @OptionGroup var output: OutputOptions

    private static let table = Table(columns: [
        .init("CHECKED", "checked", width: 7, alignsRight: true),
        .init("CORRUPT", "corrupt", width: 7, alignsRight: true),
        .init("REPAIRED", "repaired", width: 8, alignsRight: true),
        .init("UNREADABLE", "unreadable", width: 10, alignsRight: true),
    ])

    func execute(_ console: Console, on cache: DiskCache) async throws -> CommandExitCode {
        let bar = ProgressBar(console, totalCount: 0)
        let found = try await cache.verify(removesCorrupt: repair) { bar.show($0) }
        bar.finish()
        for failure in found.failures {
            try await console.report(error: "\(failure.path): \(failure.reason): the entry is damaged")
        }
        let record = Record([
            ("checked", .count(found.checkedCount)),
            ("corrupt", .count(found.corruptCount)),
            ("repaired", .count(found.repairedCount)),
            ("unreadable", .count(found.unreadableCount)),
        ])
        try await console.write(record, as: Self.table)
        let status = try await console.tell(unreadable: found.unreadable)
        return found.corruptCount > found.repairedCount ? .damaged : status
    }
}
