import Foundation

/// When a file was last used and last changed.
struct FileDates: Sendable {
    private let access: timespec
    private let modification: timespec

    /// The dates of a file; `nil` where it is a pipe, a device, or not there; blocks.
    init?(of path: String) {
        var status = stat()
        let result = path == "-" ? fstat(STDIN_FILENO, &status) : path.withPathBytes { stat($0, &status) }
        guard result == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        (access, modification) = (status.st_atim, status.st_mtim)
    }

    /// Sets the dates of an open file.
    ///
    /// - Returns: Whether the file system took them.
    func set(_ descriptor: Int32) -> Bool {
        withUnsafePointer(to: (access, modification)) { pair in
            pair.withMemoryRebound(to: timespec.self, capacity: 2) { futimens(descriptor, $0) } == 0
        }
    }
}
