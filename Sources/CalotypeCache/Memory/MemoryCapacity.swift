import CalotypeSupport

/// The memory available to this process.
public enum MemoryCapacity {
    /// The bytes of main memory that this process may use: the machine's, or its control groups' limit.
    ///
    /// Read once; a limit that is changed later is not noticed.
    public static let byteCount = MainMemory.byteCount

    /// The default cost limit of a memory cache: the lesser of 15 % of the memory and 768 MiB.
    public static let defaultCostLimit = defaultCostLimit(byteCount: byteCount)

    static func defaultCostLimit(byteCount: Int) -> Int {
        min(byteCount / 100 * 15, 768 << 20)
    }
}
