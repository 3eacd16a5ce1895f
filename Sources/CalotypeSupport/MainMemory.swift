/// How much memory this process may use.
package enum MainMemory {
    /// The bytes of main memory that this process may use: the machine's, or its control groups' limit.
    ///
    /// Read once; a limit that is changed later is not noticed.
    package static let byteCount = byteCount(
        physical: physicalByteCount,
        groups: .ofThisProcess(),
        readText: SmallFile.text(atPath:)
    )

    /// The least of what the machine has and what the limit files say; v1 writes a number beyond any machine
    /// where there is no limit.
    package static func byteCount(physical: Int, groups: ControlGroups, readText: (String) -> String?) -> Int
    {
        groups.limitFiles.compactMap(readText).compactMap(ControlGroups.limit(parsing:)).reduce(physical, min)
    }

    private static var physicalByteCount: Int {
        max(0, sysconf(Int32(_SC_PHYS_PAGES))) * max(0, sysconf(Int32(_SC_PAGESIZE)))
    }
}
