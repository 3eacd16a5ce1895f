import CalotypeCodecs
public import CalotypeCore

extension Image {
    /// Returns the colour of a pixel with straight alpha; more than 8 bits are rounded.
    ///
    /// - Parameters:
    ///   - x: Pixels from the left edge.
    ///   - y: Pixels from the top edge.
    /// - Returns: The colour; `nil` outside of the image.
    public func color(atX x: Int, y: Int) -> RGBAColor? {
        guard 0..<size.width ~= x, 0..<size.height ~= y else { return nil }
        if pixelFormat.isDeep {
            let levels = pixels.withUnsafeBytes { deepLevels($0, at: y * size.width + x) }
            return RGBAColor(red: levels.x, green: levels.y, blue: levels.z, alpha: levels.w)
        }
        let start = y * bytesPerRow + x * pixelFormat.bytesPerPixel
        return pixels.withUnsafeBytes { bytes in
            let channels = bytes[start..<start + pixelFormat.bytesPerPixel]
            let (red, green, blue) =
                pixelFormat == .gray8
                ? (channels[start], channels[start], channels[start])
                : (channels[start], channels[start + 1], channels[start + 2])
            let alpha = pixelFormat == .rgba8 ? channels[start + 3] : 255
            return RGBAColor(red: red, green: green, blue: blue, alpha: alpha)
        }
    }

    /// Returns the mean of all pixels, in which colours are weighted by alpha; for an animated image, of its
    /// first frame.
    ///
    /// Blocks: reads all pixels, and rounds once.
    ///
    /// - Returns: The mean colour with the mean alpha; ``RGBAColor/clear`` if no pixel is visible.
    /// - Throws: ``TransformError`` for lack of memory.
    public func averageColor() throws -> RGBAColor {
        do {
            let pixel = try VipsPicture(self).mixing { picture throws(CodecFailure) in
                try picture.applying(.cast, [.text("format", "float")])
                    .applying(
                        .shrink,
                        [.number("hshrink", Double(size.width)), .number("vshrink", Double(size.height))]
                    )
            }
            // The picture has one pixel.
            return try pixel.image(like: self).color(atX: 0, y: 0) ?? .clear
        } catch {
            throw TransformError(error)
        }
    }
}
