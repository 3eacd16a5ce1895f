extension AllRows {
    /// None, since the HTTP client was left out.
    static let networkRows: [Row] = []

    static let networkProbes: [MemoryProbe] = []
}
