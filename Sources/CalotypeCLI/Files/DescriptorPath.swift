import CalotypeSupport

/// Paths of open descriptors of this process, such as `/dev/stdout`, `/dev/fd/3`, and links to them.
enum DescriptorPath {
    /// The maximum number of links, as in the system.
    private static let maxLinkCount = 40
    private static let folders: Set<[String]> = [
        ["dev", "fd"], ["proc", "self", "fd"], ["proc", "thread-self", "fd"],
    ]
    /// The folder of this process in proc(5) without links; `nil` if proc(5) is not mounted.
    private static let ownFolder = FileLocation.resolved("/proc/self")

    /// Returns the number of the descriptor, or `nil` for all other paths; blocks.
    static func descriptor(of path: String) -> Int32? {
        var path = path
        for _ in 0..<maxLinkCount {
            guard !path.hasSuffix("/") else { return nil }
            let parts = path.split(separator: "/").filter { $0 != "." }.map(String.init)
            if path.hasPrefix("/"), let number = number(parts) { return number }
            let (folder, name) = FileLocation.split(path)
            if isDescriptorFolder(folder) { return number(name) }
            guard let target = FileLocation.linkTarget(path) else { return nil }
            path = target.hasPrefix("/") ? target : folder + "/" + target
        }
        return nil
    }

    /// Returns the number by the names alone, even if it is not open.
    private static func number(_ parts: [String]) -> Int32? {
        if parts == ["dev", "stdout"] { return STDOUT_FILENO }
        if parts == ["dev", "stderr"] { return STDERR_FILENO }
        return folders.contains(parts.dropLast()) ? parts.last.flatMap(number) : nil
    }

    /// Parses a number as the system writes it.
    private static func number(_ name: String) -> Int32? {
        Int32(name).flatMap { $0 >= 0 && String($0) == name ? $0 : nil }
    }

    /// Whether a folder holds the descriptors of this process, or of one of its threads.
    private static func isDescriptorFolder(_ path: String) -> Bool {
        guard let own = ownFolder, let folder = FileLocation.resolved(path) else { return false }
        return folder == own + "/fd" || folder.hasPrefix(own + "/task/") && folder.hasSuffix("/fd")
    }
}
