import CalotypeSupport
package import FoundationEssentials

/// The version of a local file.
///
/// It consists of the file's identity, its size, and the times when its contents and its status were last
/// changed. Programs can set the modification time back, as many do that copy files, but not the status
/// change time.
package struct FileVersion: Hashable, Sendable {
    private let device: UInt64
    private let file: UInt64
    // The size in bytes.
    private let byteCount: Int
    // Nanoseconds since 1970.
    private let modifiedAt: Int
    // Nanoseconds since 1970.
    private let changedAt: Int

    /// Inspects the file of a `file:` URL or a path; blocks.
    ///
    /// - Returns: `nil` if the file does not exist.
    /// - SeeAlso: `stat`.
    package init?(of url: URL) {
        let path: FilePath
        do {
            path = try FilePath(url)
        } catch {
            // The loader reports the error.
            return nil
        }
        var status = stat()
        let isThere = (path.bytes + [0]).withUnsafeBytes { bytes in
            bytes.assumingMemoryBound(to: CChar.self).baseAddress.map { stat($0, &status) == 0 } ?? false
        }
        guard isThere else { return nil }
        (device, file) = (UInt64(status.st_dev), UInt64(status.st_ino))
        byteCount = Int(status.st_size)
        modifiedAt = status.st_mtim.tv_sec * 1_000_000_000 + status.st_mtim.tv_nsec
        changedAt = status.st_ctim.tv_sec * 1_000_000_000 + status.st_ctim.tv_nsec
    }

    /// The version as a part of a key.
    package var text: String {
        "size=\(byteCount),modified=\(modifiedAt),changed=\(changedAt),file=\(device)-\(file)"
    }
}
