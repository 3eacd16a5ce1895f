internal import CalotypeCore

extension FrameBudget {
    /// Releases memory as the memory cache does: half of the held bytes at a warning, all of them when
    /// pressure is critical.
    func relieve(_ pressure: MemoryPressure) {
        switch pressure {
        case .warning: trim(toByteCount: byteCount / 2)
        case .critical: removeAll()
        }
    }
}
