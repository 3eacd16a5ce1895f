public import CalotypeCore

/// The settings that encoders of all formats share.
public struct EncodeOptions: Hashable, Sendable {
    /// The most bytes the result may have; the quality is lowered until it fits.
    ///
    /// `nil`, the default, for no limit.
    public var byteCountMax: Int?

    /// The room for the encoded image, which is made smaller where it is larger; `nil`, the default, keeps
    /// its size.
    public var sizeMax: PixelBox?

    /// What shows through translucent pixels in a format without alpha; white unless set.
    public var background: RGBColor

    /// Creates options; each default is stated at its property.
    ///
    /// - Parameters:
    ///   - byteCountMax: The most bytes the result may have.
    ///   - sizeMax: The room for the encoded image.
    ///   - background: What shows through translucent pixels.
    public init(byteCountMax: Int? = nil, sizeMax: PixelBox? = nil, background: RGBColor = .white) {
        self.byteCountMax = byteCountMax
        self.sizeMax = sizeMax
        self.background = background
    }
}
