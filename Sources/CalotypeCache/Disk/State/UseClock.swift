import CalotypeCore

/// A clock that orders uses: by the time of day while that advances, and by counting while it stands still or
/// steps back.
///
/// A later use always has a later time.
struct UseClock: Sendable {
    private var last = Timestamp.distantPast

    /// Returns the time of a use that happens now, after all earlier ones.
    mutating func next(_ now: Timestamp) -> Timestamp {
        last = max(now, last + .nanoseconds(1))
        return last
    }
}

extension Timestamp {
    static let distantPast = Timestamp(nanosecondsSince1970: .min)
}
