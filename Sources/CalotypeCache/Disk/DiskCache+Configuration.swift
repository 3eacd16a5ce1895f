public import CalotypeCore

extension DiskCache {
    /// Where a disk cache stands and how it behaves.
    public struct Configuration: Sendable {
        /// The folder that holds the namespaces; `$XDG_CACHE_HOME/calotype` or `~/.cache/calotype` by
        /// default.
        public var root: String
        /// The cache's folder below the root, one plain name; `default` by default.
        public var namespace: String
        /// Limits and expiry, which are written into the directory; `nil`, the default, follows what is
        /// written there.
        public var settings: DiskSettings?
        /// What a returned store survives; the end of the process by default.
        public var durability: DiskDurability = .processCrash
        /// Whether ``DiskCache/close()`` and ``DiskCache/flush()`` remove what has expired, as far as this
        /// process knows of it; true by default.
        ///
        /// See ``DiskCache/removeExpired()`` for all of it.
        public var removesExpiredOnClose = true
        /// How many file operations run at once; 4 by default.
        public var concurrencyMax = 4
        /// How many bytes may wait to be written; 64 MiB by default. A store that finds more waiting waits for
        /// its turn to wait.
        public var pendingByteCountMax = 64 << 20
        /// Where dates come from; the system's clock by default.
        public var timeSource: any TimeSource = SystemTimeSource()
        /// The file calls; the system's own by default.
        package var fileSystem: any FileSystem = PosixFileSystem()

        /// Creates a configuration; each default is stated at its property.
        public init(root: String? = nil, namespace: String = "default", settings: DiskSettings? = nil) {
            self.root = root ?? DirectoryLayout.defaultRoot(environment: DirectoryLayout.processEnvironment)
            self.namespace = namespace
            self.settings = settings
        }

        /// The configuration, if it can be used; a relative root is taken from the current folder.
        func validated() throws(DiskCacheError) -> Configuration {
            var valid = self
            while valid.root.hasSuffix("/") && valid.root.utf8.count > 1 { valid.root.removeLast() }
            if let problem = valid.problem {
                throw DiskCacheError(code: .invalidConfiguration, path: root, detail: problem)
            }
            return valid
        }

        private var problem: String? {
            if root.isEmpty || root.utf8.contains(0) { return "the root must be a path" }
            if !DirectoryLayout.isNamespace(namespace) {
                return "the namespace must be one folder name, 1 to 128 bytes, not beginning with a dot"
            }
            if concurrencyMax < 1 { return "concurrencyMax must be at least 1" }
            if pendingByteCountMax < 0 { return "pendingByteCountMax must not be negative" }
            return settings?.problem
        }
    }
}
