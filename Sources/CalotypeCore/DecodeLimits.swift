/// Limits on the cost of a decode; a file that exceeds one is rejected before anything is allocated.
///
/// Limits reject. To get a smaller image, decode to a target. No value means unlimited.
public struct DecodeLimits: Hashable, Sendable, Codable {
    /// Maximum pixels of a frame; 100 million by default.
    public var pixelCountMax: Int

    /// Maximum frames of an animation; 10,000 by default.
    public var frameCountMax: Int

    /// Maximum frames × pixels of an animation; 4 billion by default.
    public var framePixelCountMax: Int

    /// Maximum scans × pixels of a progressive JPEG; 1 billion by default.
    public var scanPixelCountMax: Int

    /// Maximum bytes of a decoder's working memory, beside input and pixels, if the header determines it: the
    /// coefficients of a multi-scan JPEG, 2 bytes a sample; 256 MiB by default.
    public var workingByteCountMax: Int

    /// Maximum bytes of the encoded input; 64 MiB by default.
    public var byteCountMax: Int

    /// Time limit of a decode from its start, for an animation of each requested frame; 30 s by default.
    ///
    /// A caller that awaits the decode gets ``DecodeError`` with `timedOut` then. The decode itself stops at
    /// the next row or frame; if a library decodes in a single call, its thread ends later. Time in which the
    /// machine is suspended does not count.
    public var durationMax: Duration

    /// Creates limits; the defaults are stated at the properties.
    ///
    /// - Parameters:
    ///   - pixelCountMax: Maximum pixels of a frame.
    ///   - frameCountMax: Maximum frames of an animation.
    ///   - framePixelCountMax: Maximum frames × pixels of an animation.
    ///   - scanPixelCountMax: Maximum scans × pixels of a progressive JPEG.
    ///   - workingByteCountMax: Maximum bytes of a decoder's working memory.
    ///   - byteCountMax: Maximum bytes of the encoded input.
    ///   - durationMax: Time limit of a decode; if it is not positive, every decode fails.
    /// - Precondition: Each limit but the last is at least 1.
    public init(
        pixelCountMax: Int = 100_000_000,
        frameCountMax: Int = 10_000,
        framePixelCountMax: Int = 4_000_000_000,
        scanPixelCountMax: Int = 1_000_000_000,
        workingByteCountMax: Int = 256 << 20,
        byteCountMax: Int = 64 << 20,
        durationMax: Duration = .seconds(30)
    ) {
        let counts = [
            pixelCountMax, frameCountMax, framePixelCountMax, scanPixelCountMax, workingByteCountMax,
            byteCountMax,
        ]
        precondition(counts.allSatisfy { $0 >= 1 }, "a limit is at least 1")
        self.pixelCountMax = pixelCountMax
        self.frameCountMax = frameCountMax
        self.framePixelCountMax = framePixelCountMax
        self.scanPixelCountMax = scanPixelCountMax
        self.workingByteCountMax = workingByteCountMax
        self.byteCountMax = byteCountMax
        self.durationMax = durationMax
    }
}
