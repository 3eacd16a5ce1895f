import CalotypeSupport

extension FolderByteStore {
    /// Creates a read-only store over a directory written by SDWebImage, so that a migrating program keeps a
    /// warm cache.
    ///
    /// A file is named by the MD5 of the key's UTF-8 bytes up to the first NUL, with the extension of the
    /// key's URL, or without one as older versions wrote it.
    ///
    /// - Parameter directory: The namespace's folder, such as `com.hackemist.SDImageCache/default`.
    /// - Returns: The store.
    /// - SeeAlso: `SDDiskCache.m`, `SDDiskCacheFileNameForKey`.
    public static func sdWebImage(directory: String) -> FolderByteStore {
        FolderByteStore(name: "sdwebimage", fileSystem: PosixFileSystem()) { key in
            sdWebImageFileNames(forKey: key).map { "\(directory)/\($0)" }
        }
    }

    /// Returns the possible file names of a key, that of newer versions first; none if the system's OpenSSL
    /// has no MD5, as under FIPS 140.
    package static func sdWebImageFileNames(forKey key: String) -> [String] {
        guard var digest = MessageDigest(.md5) else { return [] }
        let bytes = Array(key.utf8.prefix { $0 != 0 })
        digest.update(bytes.span)
        let name = digest.finalize().hexadecimalDigits
        let pathExtension = sdWebImageExtension(ofKey: key)
        return pathExtension.isEmpty ? [name] : ["\(name).\(pathExtension)", name]
    }

    /// Returns the text after the last dot of the URL's last path component, without `:` and NUL, at most 222
    /// UTF-16 units.
    private static func sdWebImageExtension(ofKey key: String) -> String {
        let component = EntryName.path(ofKey: key).split(separator: UInt8(ascii: "/")).last
        guard let component, let dot = component.lastIndex(of: UInt8(ascii: ".")), dot > component.startIndex
        else {
            return ""
        }
        let text = String(
            Substring(component[component.index(after: dot)...]).filter { $0 != ":" && $0 != "\0" }
        )
        return text.utf16.count <= 222 && text.utf8.count <= 222 ? text : ""
    }
}
