import Glibc

/// How much memory this process may use.
public enum MemoryCapacity {
    /// The bytes of main memory that this process may use: the machine's, or its control groups' limit.
    ///
    /// Read once; a limit that is changed later is not noticed.
    public static let byteCount = byteCount(
        physical: physicalByteCount,
        groups: .ofThisProcess(),
        readText: SmallFile.text(atPath:)
    )

    /// The cost limit of a memory cache where none is given: the lesser of 15 % of the memory and 768 MiB.
    public static let defaultCostLimit = defaultCostLimit(byteCount: byteCount)

    static func defaultCostLimit(byteCount: Int) -> Int {
        min(byteCount / 100 * 15, 768 << 20)
    }

    /// The least of what the machine has and what the limit files say; v1 writes a number beyond any machine
    /// where there is no limit.
    static func byteCount(physical: Int, groups: ControlGroups, readText: (String) -> String?) -> Int {
        groups.limitFiles.compactMap(readText).compactMap(ControlGroups.limit(parsing:)).reduce(physical, min)
    }

    private static var physicalByteCount: Int {
        max(0, sysconf(Int32(_SC_PHYS_PAGES))) * max(0, sysconf(Int32(_SC_PAGESIZE)))
    }
}

extension ControlGroups {
    /// The groups of this process; none where the system has none.
    static func ofThisProcess() -> ControlGroups {
        ControlGroups(
            membership: SmallFile.text(atPath: "/proc/self/cgroup") ?? "",
            mounts: SmallFile.text(atPath: "/proc/self/mountinfo") ?? ""
        )
    }
}
