internal import CalotypeCore

extension FrameBudget {
    /// Gives memory back as the memory cache does: half of what is held at a warning, all of it when it is
    /// critical.
    func relieve(_ pressure: MemoryPressure) {
        switch pressure {
        case .warning: trim(toByteCount: byteCount / 2)
        case .critical: removeAll()
        }
    }
}
