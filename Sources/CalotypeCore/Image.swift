/// A decoded image: immutable pixels and what is known about them.
///
/// Rows from top to bottom, 8 bits a channel and sRGB unless a decode was told to keep more, alpha **not**
/// multiplied into the colours; see ``PixelFormat`` and ``ColorSpace``. A class, since its identity is what a
/// cache's weak level watches.
public final class Image: Sendable {
    /// Width and height in pixels; at least 1 × 1.
    public let size: PixelSize

    /// How a pixel is laid out.
    public let pixelFormat: PixelFormat

    /// Pixels for each point of the layout: 1, 2 or 3; 1 unless set.
    public let scale: Double

    /// The format that it was decoded from; `nil` for one that was made in memory.
    public let format: ImageFormat?

    /// What the file told beside the pixels.
    public let metadata: ImageMetadata

    /// The frames of an animated image; `nil` for a still.
    ///
    /// The pixels are then its first frame, or the still image that the file has for those who do not
    /// animate.
    public let animation: Animation?

    /// The pixels: `size.height` rows of ``bytesPerRow`` bytes.
    public let pixels: PixelBuffer

    /// Creates an image from its pixels.
    ///
    /// - Parameters:
    ///   - size: Width and height in pixels.
    ///   - pixelFormat: How a pixel is laid out.
    ///   - pixels: `width × height × bytesPerPixel` bytes, row 0 on top.
    ///   - scale: Pixels for each point of the layout.
    ///   - format: The format that it was decoded from.
    ///   - metadata: What the file told beside the pixels.
    ///   - animation: The frames of an animated image.
    /// - Precondition: The size is not empty, and `pixels` has exactly the bytes that it asks for.
    public init(
        size: PixelSize,
        pixelFormat: PixelFormat,
        pixels: PixelBuffer,
        scale: Double = 1,
        format: ImageFormat? = nil,
        metadata: ImageMetadata = ImageMetadata(),
        animation: Animation? = nil
    ) {
        precondition(!size.isEmpty, "an image has at least one pixel")
        precondition(
            pixels.byteCount == size.pixelCount * pixelFormat.bytesPerPixel,
            "the buffer has another size than the image"
        )
        self.size = size
        self.pixelFormat = pixelFormat
        self.pixels = pixels
        self.scale = scale
        self.format = format
        self.metadata = metadata
        self.animation = animation
    }

    /// Pixels in a row.
    public var width: Int { size.width }

    /// Rows.
    public var height: Int { size.height }

    /// Bytes from one row to the next.
    public var bytesPerRow: Int { size.width * pixelFormat.bytesPerPixel }

    /// Bytes of memory that it holds: ``bytesPerRow`` × height, and for an animated image the encoded bytes
    /// that its frames are decoded from, or all frames where they are preloaded.
    public var cost: Int { pixels.byteCount + (animation?.heldByteCount ?? 0) }

    /// The image without its animation: itself where it is a still.
    public var firstFrame: Image { animation == nil ? self : replacing(animation: nil) }
}

extension Image {
    /// The same image with other frames, metadata, scale or format; the pixels are shared.
    package func replacing(
        animation: Animation?,
        metadata: ImageMetadata? = nil,
        scale: Double? = nil,
        format: ImageFormat? = nil
    ) -> Image {
        Image(
            size: size,
            pixelFormat: pixelFormat,
            pixels: pixels,
            scale: scale ?? self.scale,
            format: format ?? self.format,
            metadata: metadata ?? self.metadata,
            animation: animation
        )
    }
}

extension Image: CustomStringConvertible {
    /// The size, the format and the frames: `400×300 gif, 12 frames`.
    public var description: String {
        let frames = animation.map { ", \($0.frameCount) frames" } ?? ""
        return "\(size) \(format?.description ?? "pixels")\(frames)"
    }
}
