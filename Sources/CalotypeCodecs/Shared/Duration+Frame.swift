import CalotypeCore

extension Duration {
    /// How long a frame is shown for which the file states a duration: what is missing or below 11 ms
    /// becomes 100 ms, and no frame is shown for more than 2³² − 1 seconds.
    ///
    /// Such files were made for players that could not go faster; every browser does so. Longer frames can
    /// only be stated, and their sum has to be a number.
    static func frame(stated: Duration?) -> Duration {
        guard let stated, stated >= .milliseconds(11) else { return .milliseconds(100) }
        return min(stated, .frameMax)
    }
}
