import Glibc

/// How much memory this process may use.
public enum MemoryCapacity {
    /// The bytes of main memory of this machine.
    public static let physicalByteCount =
        max(0, sysconf(Int32(_SC_PHYS_PAGES))) * max(0, sysconf(Int32(_SC_PAGESIZE)))

    /// The cost limit of a memory cache where none is given: the lesser of 15 % of the memory and 768 MiB.
    public static let defaultCostLimit = min(physicalByteCount / 100 * 15, 768 << 20)
}
