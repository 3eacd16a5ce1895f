/// Limits on the cost of a decode; a file that exceeds one is rejected before anything is allocated.
///
/// Limits reject. To get a smaller image, decode to a target; to get the beginning of a long animation, set
/// ``truncatesAnimations``. No value means unlimited.
public struct DecodeLimits: Hashable, Sendable, Codable {
    /// Maximum pixels of a frame; 100 million by default.
    public var maxPixelCount: Int

    /// Maximum frames of an animation; 10,000 by default.
    public var maxFrameCount: Int

    /// Maximum frames × pixels of an animation; 4 billion by default.
    public var maxFramePixelCount: Int

    /// Maximum scans × pixels of a progressive JPEG; 1 billion by default.
    public var maxScanPixelCount: Int

    /// Maximum bytes of a decoder's working memory, beside input and pixels, if the header determines it: the
    /// coefficients of a multi-scan JPEG, 2 bytes a sample; 256 MiB by default.
    public var maxWorkingByteCount: Int

    /// Maximum bytes of the encoded input; 64 MiB by default.
    public var maxByteCount: Int

    /// Time limit of a decode from its start, for an animation of each requested frame; 30 s by default.
    ///
    /// A caller that awaits the decode gets ``DecodeError`` with `timedOut` then. The decode itself stops at
    /// the next row or frame; if a library decodes in a single call, its thread ends later. Time in which the
    /// machine is suspended does not count.
    public var maxDuration: Duration

    /// Whether an animation with more frames than ``maxFrameCount``, or than fit ``maxFramePixelCount``, is
    /// truncated instead of rejected; false by default.
    ///
    /// The frames up to the limit are read, and those after it are ignored, also by headers. An AVIF, HEIC or
    /// JPEG XL with more than 10,000 frames is still rejected, unless ``maxFrameCount`` is larger.
    public var truncatesAnimations: Bool

    /// Creates limits; the defaults are stated at the properties.
    ///
    /// - Parameters:
    ///   - maxPixelCount: Maximum pixels of a frame.
    ///   - maxFrameCount: Maximum frames of an animation.
    ///   - maxFramePixelCount: Maximum frames × pixels of an animation.
    ///   - maxScanPixelCount: Maximum scans × pixels of a progressive JPEG.
    ///   - maxWorkingByteCount: Maximum bytes of a decoder's working memory.
    ///   - maxByteCount: Maximum bytes of the encoded input.
    ///   - maxDuration: Time limit of a decode; if it is not positive, every decode fails.
    ///   - truncatesAnimations: True to truncate an animation with too many frames.
    /// - Precondition: Each count is at least 1.
    public init(
        maxPixelCount: Int = 100_000_000,
        maxFrameCount: Int = 10_000,
        maxFramePixelCount: Int = 4_000_000_000,
        maxScanPixelCount: Int = 1_000_000_000,
        maxWorkingByteCount: Int = 256 << 20,
        maxByteCount: Int = 64 << 20,
        maxDuration: Duration = .seconds(30),
        truncatesAnimations: Bool = false
    ) {
        let counts = [
            maxPixelCount, maxFrameCount, maxFramePixelCount, maxScanPixelCount, maxWorkingByteCount,
            maxByteCount,
        ]
        precondition(counts.allSatisfy { $0 >= 1 }, "a limit is at least 1")
        self.maxPixelCount = maxPixelCount
        self.maxFrameCount = maxFrameCount
        self.maxFramePixelCount = maxFramePixelCount
        self.maxScanPixelCount = maxScanPixelCount
        self.maxWorkingByteCount = maxWorkingByteCount
        self.maxByteCount = maxByteCount
        self.maxDuration = maxDuration
        self.truncatesAnimations = truncatesAnimations
    }
}
