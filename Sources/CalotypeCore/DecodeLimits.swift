/// What a decode may cost; what would cost more is refused before anything is allocated.
///
/// Limits refuse. To make an image smaller, decode it to a target. There is no unlimited value.
public struct DecodeLimits: Hashable, Sendable {
    /// Pixels of a frame; 100 million unless set.
    public var pixelCountMax: Int

    /// Frames of an animation; 10,000 unless set.
    public var frameCountMax: Int

    /// Frames × pixels of an animation; 4 billion unless set.
    public var framePixelCountMax: Int

    /// Scans × pixels of a progressive JPEG; 1 billion unless set.
    public var scanPixelCountMax: Int

    /// Bytes that a decoder keeps beside its input and the pixels, where the header tells how many: the
    /// coefficients of a JPEG of several scans, 2 bytes a sample; 256 MiB unless set.
    public var workingByteCountMax: Int

    /// Bytes of the encoded input; 64 MiB unless set.
    public var byteCountMax: Int

    /// How long a decode may take once it has begun, for an animation each frame that is asked for; 30 s
    /// unless set.
    ///
    /// Whoever awaits the decode has ``DecodeError`` with `timedOut` by then. The decode itself ends at the
    /// next row or frame; where a library decodes all at once, its thread ends later. Time in which the
    /// machine is suspended does not count.
    public var durationMax: Duration

    /// Creates limits; each default is stated at its property.
    ///
    /// - Parameters:
    ///   - pixelCountMax: Pixels of a frame.
    ///   - frameCountMax: Frames of an animation.
    ///   - framePixelCountMax: Frames × pixels of an animation.
    ///   - scanPixelCountMax: Scans × pixels of a progressive JPEG.
    ///   - workingByteCountMax: Bytes that a decoder keeps beside its input and the pixels.
    ///   - byteCountMax: Bytes of the encoded input.
    ///   - durationMax: How long a decode may take; one that is not positive fails every decode.
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
