/// What an image tells about itself beside its pixels.
public struct ImageMetadata: Hashable, Sendable {
    /// The EXIF orientation that the file stated.
    public var orientation: Orientation

    /// Whether the orientation has been applied to the pixels.
    public var isOrientationApplied: Bool

    /// Whether the file held a colour profile.
    public var hasColorProfile: Bool

    /// Creates metadata; by default upright and without a profile.
    ///
    /// - Parameters:
    ///   - orientation: The orientation that the file stated.
    ///   - isOrientationApplied: Whether the pixels have been turned accordingly.
    ///   - hasColorProfile: Whether the file held a colour profile.
    public init(
        orientation: Orientation = .up,
        isOrientationApplied: Bool = true,
        hasColorProfile: Bool = false
    ) {
        self.orientation = orientation
        self.isOrientationApplied = isOrientationApplied
        self.hasColorProfile = hasColorProfile
    }
}
