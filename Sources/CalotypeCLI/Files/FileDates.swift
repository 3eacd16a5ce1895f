import Foundation

struct FileDates: Sendable {
    private let access: timespec
    private let modification: timespec

    /// Reads the dates of a file; `nil` for a pipe, a device or a missing file; blocks.
    init?(of path: String) {
        var status = stat()
        let result = path == "-" ? fstat(STDIN_FILENO, &status) : path.withPathBytes { stat($0, &status) }
        guard result == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        (access, modification) = (status.st_atim, status.st_mtim)
    }

    /// Sets the dates of an open file.
    ///
    /// - Returns: Whether the file system accepted them.
    func set(_ descriptor: Int32) -> Bool {
        withUnsafePointer(to: (access, modification)) { pair in
            pair.withMemoryRebound(to: timespec.self, capacity: 2) { futimens(descriptor, $0) } == 0
        }
    }
}
