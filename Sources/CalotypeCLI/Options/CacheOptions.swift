import ArgumentParser
import Calotype
import CalotypeCache
import Foundation

struct CacheOptions: ParsableArguments {
    @Option(
        name: .customLong("cache-dir"),
        help:
            "Cache folder; default: $XDG_CACHE_HOME/calotype or ~/.cache/calotype.",
        completion: .directory
    )
    var directory: String?

    @Option(help: "Namespace, a subfolder of the cache folder.")
    var namespace = "default"

    @Flag(
        name: .customLong("trust-cache-dir"),
        help: "Accept a cache folder that other users can write to, such as a container volume."
    )
    var trustsOtherUsers = false

    func validate() throws {
        guard DirectoryLayout.isNamespace(namespace) else {
            throw ValidationError(
                "--namespace must be one folder name of 1 to 128 bytes without a leading dot."
            )
        }
        guard directory != "" else { throw ValidationError("--cache-dir must not be empty.") }
    }

    /// Rejects a named folder or namespace that does not exist: it is probably mistyped.
    ///
    /// - Throws: ``CommandError``, ``CalotypeCache/DiskCacheError``.
    func checkPresence() throws {
        let layout = try configuration.layout()
        if directory != nil, !FileManager.default.fileExists(atPath: layout.root) {
            throw CommandError(.noSuchCache, detail: "the folder \(layout.root) does not exist")
        }
        if namespace != "default", !FileManager.default.fileExists(atPath: layout.base) {
            throw CommandError(
                .noSuchCache,
                detail:
                    "no namespace “\(namespace)” in \(layout.root); see `calotype cache namespaces`"
            )
        }
    }

    /// The configuration of the cache; without limits, so that the directory's own apply.
    ///
    /// Only `cache expire` removes expired entries: a command that only shows removes nothing.
    var configuration: DiskCache.Configuration {
        var configuration = DiskCache.Configuration(root: directory, namespace: namespace)
        configuration.removesExpiredOnClose = false
        configuration.trustsOtherUsers = trustsOtherUsers
        return configuration
    }
}
