/// Limits on URLs; longer ones are refused.
package struct GrammarLimits: Hashable, Sendable {
    /// The maximum bytes of the path; 8,192 unless set.
    package var maxPathByteCount = 8_192

    /// The maximum number of options, including those of presets; 100 unless set.
    package var maxOptionCount = 100

    /// The maximum arguments of one option; 32 unless set.
    package var maxArgumentCount = 32

    /// The maximum requested side in pixels; 100,000 unless set.
    package var maxSide = 100_000

    /// The maximum factor of `dpr` and `zoom`; 100 unless set.
    package var maxScale = 100.0

    /// The maximum watermarks of one image; 4 unless set.
    package var maxWatermarkCount = 4

    /// Creates limits with their defaults.
    package init() {}
}
