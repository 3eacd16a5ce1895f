/// A decoded image: immutable pixels and their metadata.
///
/// Rows run from top to bottom, with 8 bits a channel in sRGB unless the decode retains more. Alpha is
/// straight, **not** premultiplied; see ``PixelFormat`` and ``ColorSpace``. A class, because weak references
/// of a cache watch its identity.
public final class Image: Sendable {
    /// Width and height in pixels; at least 1 × 1.
    public let size: PixelSize

    /// The layout of a pixel.
    public let pixelFormat: PixelFormat

    /// Pixels per point of the user interface: 1, 2 or 3; 1 by default.
    public let scale: Double

    /// The format of the decoded file; `nil` for an image created in memory.
    public let format: ImageFormat?

    /// The file's metadata.
    public let metadata: ImageMetadata

    /// The frames of an animated image; `nil` for a still.
    ///
    /// The pixels of the image are its first frame, or the still that the file contains as a fallback.
    public let animation: Animation?

    /// The pixels: `size.height` rows of ``bytesPerRow`` bytes.
    public let pixels: PixelBuffer

    /// Creates an image from its pixels.
    ///
    /// - Parameters:
    ///   - size: Width and height in pixels.
    ///   - pixelFormat: The layout of a pixel.
    ///   - pixels: `width × height × bytesPerPixel` bytes, row 0 on top.
    ///   - scale: Pixels per point of the user interface.
    ///   - format: The format of the decoded file.
    ///   - metadata: The file's metadata.
    ///   - animation: The frames of an animated image.
    /// - Precondition: The size is not empty, and `pixels` has exactly the bytes of that size.
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
            "the buffer and the image differ in size"
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

    /// Bytes of memory that the image holds: ``bytesPerRow`` × height, the colour profile, texts, blocks and
    /// gain map of its metadata, and for an animated image its encoded bytes, or all frames if they are
    /// preloaded.
    public var cost: Int { pixels.byteCount + (animation?.heldByteCount ?? 0) + metadata.byteCount }

    /// The image without its animation; itself for a still.
    public var firstFrame: Image { animation == nil ? self : replacing(animation: nil) }
}

extension Image {
    /// Returns the image with other frames, metadata, scale or format; the pixels are shared.
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
