/// A request to the kernel to tell when tasks have waited for memory for too long.
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
    /// How much waiting within the window is too much.
    let stall: Duration

    /// What is written to `/proc/pressure/memory`: share, stall and window, both in microseconds.
    var text: String {
        "\(share.rawValue) \(Self.microseconds(stall)) \(Self.microseconds(Self.window))"
    }

    private static func microseconds(_ duration: Duration) -> Int64 {
        duration.components.seconds * 1_000_000 + duration.components.attoseconds / 1_000_000_000_000
    }
}
