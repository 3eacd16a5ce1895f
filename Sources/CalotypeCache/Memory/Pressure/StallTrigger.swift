/// A request to the kernel for an event when tasks have waited for memory too long.
///
/// - SeeAlso: "PSI - Pressure Stall Information" in the kernel's documentation.
struct StallTrigger: Hashable, Sendable {
    enum Share: String, Sendable {
        /// At least one task waited.
        case some
        /// All tasks that had work waited.
        case full
    }

    /// Windows that are multiples of 2 s need no privilege.
    static let window = Duration.seconds(2)

    static let warning = StallTrigger(share: .some, stall: .milliseconds(150))
    static let critical = StallTrigger(share: .full, stall: .milliseconds(200))

    let share: Share
    /// The wait time within the window that triggers an event.
    let stall: Duration

    /// The text written to `/proc/pressure/memory`: share, stall and window, the latter two in microseconds.
    var text: String {
        "\(share.rawValue) \(Self.microseconds(stall)) \(Self.microseconds(Self.window))"
    }

    private static func microseconds(_ duration: Duration) -> Int64 {
        duration.components.seconds * 1_000_000 + duration.components.attoseconds / 1_000_000_000_000
    }
}
