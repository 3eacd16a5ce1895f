import CalotypeSupport
package import FoundationEssentials

/// What tells one version of a local file from another.
///
/// The file itself, its size, and when its bytes and what the system says of it were changed.
/// A program can set the date of the bytes back, and many do that copy; the other it cannot.
package struct FileVersion: Hashable, Sendable {
    private let device: UInt64
    private let file: UInt64
    /// Bytes.
    private let byteCount: Int
    /// Nanoseconds since 1970.
    private let modifiedAt: Int
    /// The same.
    private let changedAt: Int

    /// Examines the file of a `file:` URL or a path; blocks.
    ///
    /// - Returns: `nil` where there is none.
    /// - SeeAlso: `stat`.
    package init?(of url: URL) {
        let path: FilePath
        do {
            path = try FilePath(url)
        } catch {
            // The loader says what is wrong with it.
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

    /// The version as part of a key.
    package var text: String {
        "size=\(byteCount),modified=\(modifiedAt),changed=\(changedAt),file=\(device)-\(file)"
    }
}
