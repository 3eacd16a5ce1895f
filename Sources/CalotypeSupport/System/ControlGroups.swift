/// The folders of the controllers of a process's control groups.
///
/// Pure: parsed from the texts of `/proc/self/cgroup` and `/proc/self/mountinfo`.
///
/// - SeeAlso: cgroups(7), proc_pid_mountinfo(5).
package struct ControlGroups: Hashable, Sendable {
    /// The folders of the v2 group and of its ancestors, innermost first.
    package private(set) var unifiedFolders: [String] = []

    /// The folders of the v1 memory group and of its ancestors, innermost first.
    package private(set) var memoryFolders: [String] = []

    /// The folders of the v1 processor group and of its ancestors, innermost first.
    package private(set) var processorFolders: [String] = []

    /// Finds the folders of a process's groups.
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

    /// The files that limit the memory of this process; the smallest limit applies.
    package var limitFiles: [String] {
        unifiedFolders.map { $0 + "/memory.max" } + memoryFolders.map { $0 + "/memory.limit_in_bytes" }
    }

    /// The bytes that a limit file grants; `nil` without a limit.
    package static func limit(parsing text: String) -> Int? {
        let word = text.prefix { !$0.isWhitespace }
        return Int(word)
    }

    /// The folder of the innermost v2 group with a memory limit; `nil` without one.
    package func limitedFolder(readText: (String) -> String?) -> String? {
        unifiedFolders.first { Self.memoryLimit(ofFolder: $0, readText: readText) != nil }
    }

    /// The memory limit of a v2 group in bytes, hard or high; `nil` without a limit.
    package static func memoryLimit(ofFolder folder: String, readText: (String) -> String?) -> Int? {
        ["/memory.max", "/memory.high"].compactMap { readText(folder + $0) }.compactMap(limit(parsing:)).min()
    }

    /// The group paths by v1 controller; the v2 group has the empty key.
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

/// The relevant fields of a line of `mountinfo`.
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

    /// The folders of a group and of its ancestors up to the mount, innermost first.
    ///
    /// A container sees a group's path from outside while only the group itself is mounted; the mount is then
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

    /// Decodes the octal escapes of spaces and a few other characters (backslash and three digits).
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
    /// Reads the groups of this process; without control groups the result is empty.
    package static func ofThisProcess() -> ControlGroups {
        ControlGroups(
            membership: SmallFile.text(atPath: "/proc/self/cgroup") ?? "",
            mounts: SmallFile.text(atPath: "/proc/self/mountinfo") ?? ""
        )
    }
}
