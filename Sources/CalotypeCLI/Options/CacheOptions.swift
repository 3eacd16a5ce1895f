import ArgumentParser
import Calotype
import CalotypeCache
import Foundation

/// Which disk cache a command works on.
struct CacheOptions: ParsableArguments {
    @Option(
        name: .customLong("cache-dir"),
        help:
            "The folder of the cache's namespaces; else $XDG_CACHE_HOME/calotype or ~/.cache/calotype.",
        completion: .directory
    )
    var directory: String?

    @Option(help: "The cache's folder in there.")
    var namespace = "default"

    @Flag(
        name: .customLong("trust-cache-dir"),
        help: "Use the cache folder also where other users could write to it, as a container's volume."
    )
    var trustsOtherUsers = false

    func validate() throws {
        guard DirectoryLayout.isNamespace(namespace) else {
            throw ValidationError(
                "--namespace is one folder name of 1 to 128 bytes that does not begin with a dot."
            )
        }
        guard directory != "" else { throw ValidationError("--cache-dir must not be empty.") }
    }

    /// Refuses a folder or a namespace that was named and is not there: it is mistyped.
    ///
    /// - Throws: ``CommandError``, ``CalotypeCache/DiskCacheError``.
    func checkPresence() throws {
        let layout = try configuration.layout()
        if directory != nil, !FileManager.default.fileExists(atPath: layout.root) {
            throw CommandError(.noSuchCache, detail: "there is no folder \(layout.root)")
        }
        if namespace != "default", !FileManager.default.fileExists(atPath: layout.base) {
            throw CommandError(
                .noSuchCache,
                detail:
                    "there is no namespace “\(namespace)” in \(layout.root); see `calotype cache namespaces`"
            )
        }
    }

    /// Where the cache is; without limits, so that a directory keeps its own.
    ///
    /// What has expired is left to `cache expire`: a command that only shows removes nothing.
    var configuration: DiskCache.Configuration {
        var configuration = DiskCache.Configuration(root: directory, namespace: namespace)
        configuration.removesExpiredOnClose = false
        configuration.trustsOtherUsers = trustsOtherUsers
        return configuration
    }
}
