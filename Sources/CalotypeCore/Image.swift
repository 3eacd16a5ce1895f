/// A decoded image: immutable pixels and what is known about them.
///
/// Rows from top to bottom, 8 bits a channel, sRGB, alpha **not** multiplied into the colours; see
/// ``PixelFormat``. A class, since its identity is what a cache's weak level watches.
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
    /// - Precondition: The size is not empty, and `pixels` has exactly the bytes that it asks for.
    public init(
        size: PixelSize,
        pixelFormat: PixelFormat,
        pixels: PixelBuffer,
        scale: Double = 1,
        format: ImageFormat? = nil,
        metadata: ImageMetadata = ImageMetadata()
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
    }

    /// Bytes from one row to the next.
    public var bytesPerRow: Int { size.width * pixelFormat.bytesPerPixel }

    /// Bytes of memory that it holds: ``bytesPerRow`` × height.
    public var cost: Int { pixels.byteCount }
}
