/// Limits on URLs; longer ones are refused.
public struct GrammarLimits: Hashable, Sendable {
    /// The maximum bytes of the path; 8,192 unless set.
    public var pathByteCountMax = 8_192

    /// The maximum number of options, including those of presets; 100 unless set.
    public var optionCountMax = 100

    /// The maximum arguments of one option; 32 unless set.
    public var argumentCountMax = 32

    /// The maximum requested side in pixels; 100,000 unless set.
    public var sideMax = 100_000

    /// The maximum factor of `dpr` and `zoom`; 100 unless set.
    public var scaleMax = 100.0

    /// Creates limits with their defaults.
    public init() {}
}
