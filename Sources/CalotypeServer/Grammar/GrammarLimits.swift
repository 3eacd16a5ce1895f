/// How much of a URL is read before it is refused.
public struct GrammarLimits: Hashable, Sendable {
    /// Bytes of the path; 8,192 unless set.
    public var pathByteCountMax = 8_192

    /// Options, with those of presets; 100 unless set.
    public var optionCountMax = 100

    /// Arguments of one option; 32 unless set.
    public var argumentCountMax = 32

    /// Pixels of a side that is asked for; 100,000 unless set.
    public var sideMax = 100_000

    /// What sizes may be multiplied by: `dpr` and `zoom`; 100 unless set.
    public var scaleMax = 100.0

    /// Creates limits with the default of each.
    public init() {}
}
