/// How the pixels of a resized image are mixed from those of its source.
public enum ResamplingKernel: String, Hashable, Sendable, CaseIterable, Codable {
    /// The pixel under the centre of the new one; mixes nothing, for pixel art and masks.
    ///
    /// Where the centre lies between two pixels, it is one of them.
    case nearest
    /// Linear interpolation; soft.
    case linear
    /// Cubic interpolation (Catmull–Rom).
    case cubic
    /// Lanczos with three lobes: the sharpest where an image is made smaller; as ``cubic`` where it is
    /// enlarged.
    case lanczos3
}
