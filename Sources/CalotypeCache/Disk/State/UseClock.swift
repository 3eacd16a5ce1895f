import CalotypeCore

/// Orders uses: by the time of day while that goes on, and by counting where it stands still or steps back.
///
/// What is used later comes later, whatever the clock does.
struct UseClock: Sendable {
    private var last = Timestamp.distantPast

    /// The place of a use that happens now, behind all before it.
    mutating func next(_ now: Timestamp) -> Timestamp {
        last = max(now, last + .nanoseconds(1))
        return last
    }
}

extension Timestamp {
    /// The first moment there is.
    static let distantPast = Timestamp(nanosecondsSince1970: .min)
}
