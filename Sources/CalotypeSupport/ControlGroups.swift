/// Where the controllers of a process's control groups have their files.
///
/// Pure: made from the texts of `/proc/self/cgroup` and `/proc/self/mountinfo`.
///
/// - SeeAlso: cgroups(7), proc_pid_mountinfo(5).
package struct ControlGroups: Hashable, Sendable {
    /// The folders of the v2 group and of those around it, innermost first.
    package private(set) var unifiedFolders: [String] = []

    /// The folders of the v1 memory group and of those around it, innermost first.
    package private(set) var memoryFolders: [String] = []

    /// The folders of the v1 processor group and of those around it, innermost first.
    package private(set) var processorFolders: [String] = []

    /// Finds the folders of the groups that a process belongs to.
    package init(membership: String, mounts: String) {
        let groups = Self.groups(in: membership)
        for line in mounts.split(separator: "\n") {
            guard let mount = Mount(parsing: line) else { continue }
            func folders(_ controller: Substring) -> [String]? {
                guard mount.type == "cgroup", mount.options.contains(controller) else { return nil }
                return groups[controller].map(mount.folders)
            }
            if mount.type == "cgroup2", let group = groups[""] { unifiedFolders = mount.folders(of: group) }
            if let folders = folders("memory") { memoryFolders = folders }
            if let folders = folders("cpu") { processorFolders = folders }
        }
    }

    /// The files that limit the memory of this process; the least of what they say holds.
    package var limitFiles: [String] {
        unifiedFolders.map { $0 + "/memory.max" } + memoryFolders.map { $0 + "/memory.limit_in_bytes" }
    }

    /// The bytes that a limit file grants; `nil` for no limit.
    package static func limit(parsing text: String) -> Int? {
        let word = text.prefix { !$0.isWhitespace }
        return Int(word)
    }

    /// The innermost v2 group that has a limit of memory, `nil` where none has.
    package func limitedFolder(readText: (String) -> String?) -> String? {
        unifiedFolders.first { Self.memoryLimit(ofFolder: $0, readText: readText) != nil }
    }

    /// The bytes at which a v2 group makes its processes give memory back; `nil` for no limit.
    package static func memoryLimit(ofFolder folder: String, readText: (String) -> String?) -> Int? {
        ["/memory.max", "/memory.high"].compactMap { readText(folder + $0) }.compactMap(limit(parsing:)).min()
    }

    /// The path of the v2 group, by no name, and those of the v1 groups by their controllers.
    private static func groups(in membership: String) -> [Substring: String] {
        var groups: [Substring: String] = [:]
        for line in membership.split(separator: "\n") {
            let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count == 3 else { continue }
            if fields[0] == "0", fields[1].isEmpty { groups[""] = String(fields[2]) }
            for controller in fields[1].split(separator: ",") { groups[controller] = String(fields[2]) }
        }
        return groups
    }
}

/// A line of `mountinfo`, as far as it matters here.
private struct Mount {
    let root: String
    let folder: String
    let type: Substring
    let options: [Substring]

    init?(parsing line: Substring) {
        let halves = line.split(separator: " ").split(separator: "-", maxSplits: 1)
        guard halves.count == 2 else { return nil }
        let (before, after) = (Array(halves[0]), Array(halves[1]))
        guard before.count >= 5, after.count >= 3 else { return nil }
        root = Self.unescaped(before[3])
        folder = Self.unescaped(before[4])
        type = after[0]
        options = after[2].split(separator: ",")
    }

    /// The folder of a group and those around it up to the mount, innermost first.
    ///
    /// A container sees a group's path from outside while only the group itself is mounted; then the mount is
    /// the group.
    func folders(of group: String) -> [String] {
        let rootPath = root == "/" ? "" : root
        guard group == rootPath || group.hasPrefix(rootPath + "/") else { return [folder] }
        let names = group.dropFirst(rootPath.count).split(separator: "/")
        guard !names.contains("..") else { return [folder] }
        return (0...names.count).reversed().map {
            ([Substring(folder)] + names.prefix($0)).joined(separator: "/")
        }
    }

    /// Spaces and a few others are written as a backslash and three octal digits.
    private static func unescaped(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\\"),
                let escaped = UInt8(String(decoding: rest.prefix(3), as: UTF8.self), radix: 8)
            {
                bytes.append(escaped)
                rest = rest.dropFirst(3)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension ControlGroups {
    /// The groups of this process; none where the system has none.
    package static func ofThisProcess() -> ControlGroups {
        ControlGroups(
            membership: SmallFile.text(atPath: "/proc/self/cgroup") ?? "",
            mounts: SmallFile.text(atPath: "/proc/self/mountinfo") ?? ""
        )
    }
}
