import CalotypeSupport

/// How much memory this process may use.
public enum MemoryCapacity {
    /// The bytes of main memory that this process may use: the machine's, or its control groups' limit.
    ///
    /// Read once; a limit that is changed later is not noticed.
    public static let byteCount = MainMemory.byteCount

    /// The cost limit of a memory cache where none is given: the lesser of 15 % of the memory and 768 MiB.
    public static let defaultCostLimit = defaultCostLimit(byteCount: byteCount)

    static func defaultCostLimit(byteCount: Int) -> Int {
        min(byteCount / 100 * 15, 768 << 20)
    }
}
