import CalotypeSupport

/// The paths in a cache directory: `<root>/<namespace>/v1/ab/ab12….jpg`.
package struct DirectoryLayout: Hashable, Sendable {
    /// The folder that holds the namespaces.
    package let root: String
    /// The version's folder in the namespace, which contains entries, settings and temporary files.
    package let base: String

    package init(root: String, namespace: String) {
        self.root = root
        base = "\(root)/\(namespace)/v1"
    }

    /// Makes backup programs exclude the root.
    package var cacheTag: String { root + "/CACHEDIR.TAG" }

    /// The file with the namespace's limits.
    package var settings: String { base + "/settings" }

    /// The parent of the writers' folders, one for each process that writes.
    package var temporary: String { base + "/tmp" }

    /// Returns the file in which a writer reports how much it has changed the directory.
    package func telling(of writer: String) -> String {
        "\(temporary)/\(writer)/\(WriterFileName.writtenFile)"
    }

    package func folder(of name: EntryName) -> String { "\(base)/\(name.folderName)" }

    package func path(of name: EntryName) -> String {
        var base = base
        return base.withUTF8 { base in
            let start = base.count + "/00/".utf8.count
            return unsafe String(unsafeUninitializedCapacity: start + name.fileNameByteCount) { bytes in
                _ = unsafe bytes.update(fromContentsOf: base)
                let fileName = unsafe UnsafeMutableBufferPointer(rebasing: bytes[start...])
                unsafe name.writeFileName(into: fileName)
                unsafe bytes[start - 4] = UInt8(ascii: "/")
                unsafe bytes[start - 3] = fileName[0]
                unsafe bytes[start - 2] = fileName[1]
                unsafe bytes[start - 1] = UInt8(ascii: "/")
                return start + name.fileNameByteCount
            }
        }
    }

    /// The text of `CACHEDIR.TAG`; programs look for the first line.
    ///
    /// - SeeAlso: https://bford.info/cachedir/
    package static let cacheTagText = """
        Signature: 8a477f597d28d172789f06886806bc55
        # This folder holds caches of Calotype. Everything in it can be fetched or made again.

        """

    /// Returns `$XDG_CACHE_HOME/calotype`, or `~/.cache/calotype` if the variable is not an absolute path.
    ///
    /// - Returns: The folder; `nil` if `HOME` is not an absolute path either. Any other folder would be
    ///   shared by all users.
    package static func defaultRoot(environment: (String) -> String?) -> String? {
        let cacheHome = environment("XDG_CACHE_HOME").flatMap { $0.hasPrefix("/") ? $0 : nil }
        let home = environment("HOME").flatMap { $0.hasPrefix("/") ? $0 : nil }
        return (cacheHome ?? home.map { $0 + "/.cache" }).map { $0 + "/calotype" }
    }

    /// Resolves a path against the current folder; returns `nil` if that folder is gone.
    package static func absolutePath(_ path: String) -> String? {
        if path.hasPrefix("/") { return path }
        guard let folder = unsafe getcwd(nil, 0) else { return nil }
        defer { unsafe free(folder) }
        return unsafe String(cString: folder) + "/" + path
    }

    package static func processEnvironment(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        return unsafe String(cString: value)
    }

    /// Returns whether a namespace is one plain folder name.
    package static func isNamespace(_ name: String) -> Bool {
        (1...128).contains(name.utf8.count) && !name.hasPrefix(".")
            && !name.utf8.contains { $0 == 0 || $0 == 0x2f }
    }
}
