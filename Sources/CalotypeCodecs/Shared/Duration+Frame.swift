import CalotypeCore

extension Duration {
    /// Returns the duration of a frame: a missing one or one below 11 ms becomes 100 ms, and the maximum is
    /// 2³² − 1 seconds.
    ///
    /// All browsers replace short durations, since such files were made for players that could not go faster.
    /// Longer durations are only claims, and their sum must be representable.
    static func frame(stated: Duration?) -> Duration {
        guard let stated, stated >= .milliseconds(11) else { return .milliseconds(100) }
        return min(stated, .maxFrame)
    }
}
