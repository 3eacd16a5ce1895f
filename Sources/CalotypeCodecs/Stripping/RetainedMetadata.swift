/// The metadata that ``CodecRegistry/strippingMetadata(from:keeping:)`` retains.
///
/// Data that affects the appearance, such as colour profiles, resolution and the timing of frames, is always
/// retained.
/// in any case.
public struct RetainedMetadata: Hashable, Sendable {
    /// Whether the EXIF orientation is retained, in a block of its own; true by default.
    ///
    /// Without it, an image that its camera stored turned is shown as stored.
    public var orientation: Bool

    /// Whether EXIF's Artist and Copyright are retained; false by default.
    public var copyright: Bool

    /// Creates a selection; the defaults are stated at the properties.
    ///
    /// - Parameters:
    ///   - orientation: True to retain the EXIF orientation.
    ///   - copyright: True to retain EXIF's Artist and Copyright.
    public init(orientation: Bool = true, copyright: Bool = false) {
        self.orientation = orientation
        self.copyright = copyright
    }
}
