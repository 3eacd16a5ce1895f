import Glibc
import Testing

/// A file system in memory of a given size, unmounted with the last reference.
public final class SmallDisk: Sendable {
    /// Whether this process may mount file systems.
    public static let isPermitted = SmallDisk(mebibyteCount: 1) != nil

    /// The mount point, in a separate folder.
    public let path: String

    /// Mounts a file system; `nil` if that is not permitted.
    public init?(mebibyteCount: Int) {
        let name = "/tmp/calotype-disk-" + String(UInt64.random(in: .min ... .max), radix: 16)
        guard mkdir(name, 0o700) == 0 else { return nil }
        path = name
        guard mount("tmpfs", path, "tmpfs", 0, "size=\(mebibyteCount)m") == 0 else {
            rmdir(path)
            return nil
        }
    }

    deinit {
        umount2(path, Int32(MNT_DETACH))
        rmdir(path)
    }

    private var ballast: String { path + "/ballast" }

    /// Fills the remaining space with a foreign file.
    public func fill() throws {
        let file = Glibc.open(ballast, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        try #require(file >= 0)
        defer { Glibc.close(file) }
        for chunk in [[UInt8](repeating: 1, count: 4096), [1]] {
            while write(file, chunk, chunk.count) > 0 {}
        }
        #expect(errno == ENOSPC)
    }

    /// Removes the foreign file.
    public func empty() throws {
        try #require(unlink(ballast) == 0)
    }
}
