/// The metadata that ``CodecRegistry/strippingMetadata(from:keeping:)`` leaves in a file.
///
/// Whatever changes how the pixels look, such as colour profiles, resolution and the timing of frames, stays
/// in any case.
public struct RetainedMetadata: Hashable, Sendable {
    /// Whether the EXIF orientation stays, in a block of its own; true unless set.
    ///
    /// Without it, an image that its camera stored turned is shown as stored.
    public var orientation: Bool

    /// Whether EXIF's Artist and Copyright stay; false unless set.
    public var copyright: Bool

    /// Creates a selection; each default is stated at its property.
    ///
    /// - Parameters:
    ///   - orientation: Whether the EXIF orientation stays.
    ///   - copyright: Whether EXIF's Artist and Copyright stay.
    public init(orientation: Bool = true, copyright: Bool = false) {
        self.orientation = orientation
        self.copyright = copyright
    }
}
