import Glibc

/// The long form of tests, for `make soak`.
public enum Soak {
    /// Whether it was requested by the variable `CALOTYPE_SOAK`.
    public static let isRequested = getenv("CALOTYPE_SOAK") != nil

    /// The time limit of a test, from its admission by the gate.
    static var timeLimit: Duration { .seconds(isRequested ? 7_200 : 600) }
}
