extension Duration {
    /// How long a frame is shown for which the file states a duration: what is missing or below 11 ms
    /// becomes 100 ms.
    ///
    /// Such files were made for players that could not go faster; every browser does so.
    static func frame(stated: Duration?) -> Duration {
        guard let stated, stated >= .milliseconds(11) else { return .milliseconds(100) }
        return stated
    }
}
