import Foundation
import Glibc

/// Waits for files of another program.
enum FolderWatch {
    struct Failure: Error {
        let path: String
        let errorNumber: Int32
    }

    /// Returns when a folder has a file, within a minute; blocks.
    static func waitForFile(in path: String) throws {
        let watch = inotify_init()
        defer { close(watch) }
        guard inotify_add_watch(watch, path, UInt32(IN_CREATE | IN_MOVED_TO)) >= 0 else {
            throw Failure(path: path, errorNumber: errno)
        }
        guard try FileManager.default.contentsOfDirectory(atPath: path).isEmpty else { return }
        var descriptor = pollfd(fd: watch, events: Int16(POLLIN), revents: 0)
        guard poll(&descriptor, 1, 60_000) == 1 else { throw Failure(path: path, errorNumber: ETIME) }
    }
}
