public import CalotypeCore

extension DiskCache {
    /// Where a disk cache stands and how it behaves.
    public struct Configuration: Sendable {
        /// The folder that holds the namespaces; `nil`, the default, for `$XDG_CACHE_HOME/calotype` or
        /// `~/.cache/calotype`.
        ///
        /// An open cache tells the absolute path. Where neither variable is set, as for a service of the
        /// system, there is no default.
        public var root: String?
        /// The cache's folder below the root, one plain name; `default` by default.
        public var namespace: String
        /// Limits and expiry, which are written into the directory; `nil`, the default, follows what is
        /// written there.
        public var settings: DiskSettings?
        /// What a returned store survives; the end of the process by default.
        public var durability: DiskDurability = .processCrash
        /// Whether a directory is used that other users of this machine could have written into, or could
        /// replace; false by default.
        ///
        /// Whoever can do that says what is served. It is meant for volumes of containers, which everybody
        /// may write to and nobody else sees.
        public var trustsOtherUsers = false
        /// Whether ``DiskCache/close()`` and ``DiskCache/flush()`` remove what has expired, as far as this
        /// process knows of it; true by default.
        ///
        /// See ``DiskCache/removeExpired()`` for all of it.
        public var removesExpiredOnClose = true
        /// How many file operations run at once; 4 by default.
        public var concurrencyMax = 4
        /// How many bytes may wait to be written; 64 MiB by default.
        ///
        /// A store that finds more waiting waits for room before it counts as issued.
        public var pendingByteCountMax = 64 << 20
        /// Where dates come from; the system's clock by default.
        public var timeSource: any TimeSource = SystemTimeSource()
        /// The file calls; the system's own by default.
        package var fileSystem: any FileSystem = PosixFileSystem()

        /// Creates a configuration; each default is stated at its property.
        public init(root: String? = nil, namespace: String = "default", settings: DiskSettings? = nil) {
            self.root = root
            self.namespace = namespace
            self.settings = settings
        }

        /// The configuration, if it can be used, with the root as it is from now on.
        func validated() throws(DiskCacheError) -> Configuration {
            if let problem { throw invalid(problem) }
            var valid = self
            valid.root = try layout().root
            return valid
        }

        /// Where everything stands; a relative root is taken from the folder this process is in now.
        ///
        /// - Throws: ``DiskCacheError/Code/invalidConfiguration`` where there is no root.
        package func layout() throws(DiskCacheError) -> DirectoryLayout {
            let environment = DirectoryLayout.processEnvironment
            guard let root = root ?? DirectoryLayout.defaultRoot(environment: environment) else {
                throw invalid(
                    "there is no home folder; set HOME or XDG_CACHE_HOME, or name a root (--cache-dir)"
                )
            }
            if root.isEmpty || root.utf8.contains(0) { throw invalid("the root must be a path") }
            guard var path = DirectoryLayout.absolutePath(root) else {
                throw invalid("the root is relative, and the current folder is gone; name an absolute path")
            }
            while path.hasSuffix("/") && path.utf8.count > 1 { path.removeLast() }
            return DirectoryLayout(root: path, namespace: namespace)
        }

        private func invalid(_ problem: String) -> DiskCacheError {
            DiskCacheError(code: .invalidConfiguration, path: root ?? "", detail: problem)
        }

        private var problem: String? {
            if !DirectoryLayout.isNamespace(namespace) {
                return "the namespace must be one folder name, 1 to 128 bytes, not beginning with a dot"
            }
            if concurrencyMax < 1 { return "concurrencyMax must be at least 1" }
            if pendingByteCountMax < 0 { return "pendingByteCountMax must not be negative" }
            return settings?.problem
        }
    }
}
