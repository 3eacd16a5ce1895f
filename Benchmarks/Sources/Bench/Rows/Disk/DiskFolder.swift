import Foundation
import Glibc

/// A folder of a row's own on a disk, removed with its owner.
///
/// The next run removes the folders of an interrupted run.
final class DiskFolder: Sendable {
    let path: String
    private let parent: String

    /// - Throws: ``Skipped`` where the disk has less room than is needed.
    init(in base: String = disk, byteCount: Int = 1 << 30, fileCount: Int = 10_000) throws {
        Self.removeAbandoned(in: base)
        var status = statvfs()
        guard statvfs(base, &status) == 0 else { throw Skipped("\(base) is not there") }
        guard status.f_bavail * status.f_frsize >= byteCount, status.f_favail >= fileCount else {
            throw Skipped("\(base) has no room for \(fileCount) files of \(byteCount >> 20) MB in all")
        }
        parent = "\(base)/\(Self.prefix)\(getpid())-\(UInt32.random(in: .min ... .max))"
        path = "\(parent)/\(UInt32.random(in: .min ... .max))"
        try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
        Self.scatterFolders(in: parent)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    deinit {
        Self.remove(parent)
    }

    private static let prefix = "calotype-bench-"

    /// `/var/tmp`, which is on a disk where `/tmp` may be in memory, unless `TMPDIR` says otherwise.
    static let disk = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/var/tmp"

    /// Asks ext4 to put each folder in `path` into another part of the disk.
    ///
    /// Without a journal it passes over the numbers of files that were removed lately one by one: after a row
    /// that removes many, a new file nearby takes half a millisecond. Other file systems refuse; no matter.
    private static func scatterFolders(in path: String) {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/chattr")
        process.arguments = ["+T", path]
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return }
        process.waitUntilExit()
    }

    /// Removes the folders of programs that are no more.
    private static func removeAbandoned(in base: String) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: base)) ?? []
        for name in names where name.hasPrefix(prefix) {
            let process = name.dropFirst(prefix.count).prefix { $0 != "-" }
            guard let process = pid_t(process), kill(process, 0) == -1, errno == ESRCH else { continue }
            remove("\(base)/\(name)")
        }
    }

    private static func remove(_ path: String) {
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch {
            print("\(path) could not be removed: \(error)")
        }
    }
}
