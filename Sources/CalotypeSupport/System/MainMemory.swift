/// The memory that this process may use.
package enum MainMemory {
    /// The bytes of main memory that this process may use: the machine's, or its control groups' limit.
    ///
    /// Read once; later changes of a limit are not noticed.
    package static let byteCount = byteCount(
        physical: physicalByteCount,
        groups: .ofThisProcess(),
        readText: SmallFile.text(atPath:)
    )

    /// The minimum of the machine's memory and the limit files; without a limit, v1 writes a number larger
    /// than any machine's memory.
    package static func byteCount(physical: Int, groups: ControlGroups, readText: (String) -> String?) -> Int
    {
        groups.limitFiles.compactMap(readText).compactMap(ControlGroups.limit(parsing:)).reduce(physical, min)
    }

    private static var physicalByteCount: Int {
        max(0, sysconf(Int32(_SC_PHYS_PAGES))) * max(0, sysconf(Int32(_SC_PAGESIZE)))
    }
}
