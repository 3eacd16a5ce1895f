extension UInt32 {
    /// Creates the loop count as stored in a file: 0, for endless, above the maximum of the format.
    init(_ playCount: Int, orEndlessBeyond most: UInt32) {
        self = playCount > Int(most) ? 0 : UInt32(Swift.max(1, playCount))
    }
}
