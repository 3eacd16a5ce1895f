extension UInt32 {
    /// The number of plays as a file states it: 0, which is endless, for more than the format can state.
    init(_ playCount: Int, orEndlessBeyond most: UInt32) {
        self = playCount > Int(most) ? 0 : UInt32(Swift.max(1, playCount))
    }
}
