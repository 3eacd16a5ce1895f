/// The interpolation of a resize.
public enum ResamplingKernel: String, Hashable, Sendable, CaseIterable, Codable {
    /// Nearest neighbour; mixes no pixels, for pixel art and masks.
    ///
    /// If the centre of a new pixel lies between two pixels, either may be used.
    case nearest
    /// Linear interpolation; soft.
    case linear
    /// Cubic interpolation (Catmull–Rom).
    case cubic
    /// Lanczos with three lobes: the sharpest for downscaling; equals ``cubic`` for upscaling.
    case lanczos3
}
