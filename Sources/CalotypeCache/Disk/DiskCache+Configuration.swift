public import CalotypeCore

extension DiskCache {
    /// The location and behaviour of a disk cache.
    public struct Configuration: Sendable {
        /// The folder that holds the namespaces; `nil`, the default, for `$XDG_CACHE_HOME/calotype` or
        /// `~/.cache/calotype`.
        ///
        /// An open cache's configuration has the absolute path. If neither variable is set, as for a system
        /// service, there is no default.
        public var root: String?
        /// The name of the cache's folder below the root: one folder name, `default` by default.
        public var namespace: String
        /// The limits and expiry to write into the directory; `nil`, the default, uses those already written
        /// there.
        public var settings: DiskSettings?
        /// The failures that a completed store survives; ``DiskDurability/processCrash`` by default.
        public var durability: DiskDurability = .processCrash
        /// Whether to use a directory that other users of this machine can write to or replace; false by
        /// default.
        ///
        /// Such users control what the cache serves. Set it for container volumes that everyone may write to
        /// but no other user can see.
        public var trustsOtherUsers = false
        /// Whether ``DiskCache/close()`` and ``DiskCache/flush()`` remove the expired entries that this
        /// process knows of; true by default.
        ///
        /// ``DiskCache/removeExpired()`` removes all of them.
        public var removesExpiredOnClose = true
        /// The number of file operations that run at once; 4 by default.
        public var maxConcurrency = 4
        /// The number of bytes that may wait to be written; 64 MiB by default.
        ///
        /// A store that exceeds it waits before it counts as issued.
        public var maxPendingByteCount = 64 << 20
        /// The source of dates; the system's clock by default.
        public var timeSource: any TimeSource = SystemTimeSource()
        /// The file calls; the system's own by default.
        package var fileSystem: any FileSystem = PosixFileSystem()

        /// Creates a configuration; each default is stated at its property.
        public init(root: String? = nil, namespace: String = "default", settings: DiskSettings? = nil) {
            self.root = root
            self.namespace = namespace
            self.settings = settings
        }

        /// Returns the configuration with an absolute root, or throws if it is invalid.
        func validated() throws(DiskCacheError) -> Configuration {
            if let problem { throw invalid(problem) }
            var valid = self
            valid.root = try layout().root
            return valid
        }

        /// Returns the paths of the directory; a relative root is resolved against the current folder.
        ///
        /// - Throws: ``DiskCacheError/Code/invalidConfiguration`` if there is no root.
        package func layout() throws(DiskCacheError) -> DirectoryLayout {
            let environment = DirectoryLayout.processEnvironment
            guard let root = root ?? DirectoryLayout.defaultRoot(environment: environment) else {
                throw invalid(
                    "root: not set, and no home folder; set HOME or XDG_CACHE_HOME, or pass --cache-dir"
                )
            }
            if root.isEmpty || root.utf8.contains(0) { throw invalid("root: must be a non-empty path") }
            guard var path = DirectoryLayout.absolutePath(root) else {
                throw invalid("root: is relative, but the current folder is gone; use an absolute path")
            }
            while path.hasSuffix("/") && path.utf8.count > 1 { path.removeLast() }
            return DirectoryLayout(root: path, namespace: namespace)
        }

        private func invalid(_ problem: String) -> DiskCacheError {
            DiskCacheError(.invalidConfiguration, path: root ?? "", detail: problem)
        }

        private var problem: String? {
            if !DirectoryLayout.isNamespace(namespace) {
                return "namespace: must be one folder name of 1 to 128 bytes that does not begin with a dot"
            }
            if maxConcurrency < 1 { return "maxConcurrency: must be at least 1" }
            if maxPendingByteCount < 0 { return "maxPendingByteCount: must not be negative" }
            return settings?.problem
        }
    }
}
