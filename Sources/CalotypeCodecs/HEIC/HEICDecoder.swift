public import CalotypeCore
public import FoundationEssentials

/// Decodes HEIC with libheif and libde265: the primary image, with alpha, in one piece or in tiles.
///
/// The transformations of the file (`clap`, `irot`, `imir`) are part of the picture and always applied, so
/// the size is that after them and the orientation upright; an orientation in Exif is not looked at. More
/// than 8 bits are rounded to 8. An ICC profile is converted, and so are colours that are named by codes,
/// high dynamic range (PQ, HLG) as ``DynamicRange`` tells. Of a sequence the still image is decoded; one
/// without a still image is an unsupported feature.
///
/// Rings of references, sizes beyond the limits in boxes, grids and streams, more than 2,000 tiles, and more
/// than ten pixels to decode for one of the picture are refused before libheif sees the file; so are tiles
/// that do not cover their grid, and streams of another size than the file says. A picture of which slices
/// are missing is an error. The check sums of the stream are compared where it has any, and what
/// libde265 warns of is an error where it loses samples; in a stream without check sums a changed bit may go
/// unnoticed.
///
/// - SeeAlso: ISO/IEC 23008-12; ITU-T H.265; libheif 1.15 and libde265 1.0, in the caller's thread.
public struct HEICDecoder: ImageDecoder {
    /// Creates a decoder.
    public init() {}

    /// HEIC.
    public var formats: [ImageFormat] { [.heic] }

    /// Reads the boxes.
    ///
    /// - Throws: `DecodeError` where they are damaged or the image is beyond the limits.
    public func info(of data: Data, limits: DecodeLimits) throws(DecodeError) -> ImageInfo {
        let items = try Self.items(of: data, limits: limits)
        return try unsafe data.bytes.withUnsafeBytes { bytes throws(DecodeError) in
            try unsafe Self.info(of: bytes, items: items, limits: limits)
        }
    }

    /// Decodes the primary image.
    ///
    /// - Throws: `DecodeError`; then there are no pixels.
    public func decode(_ data: Data, options: DecodeOptions) throws(DecodeError) -> Image {
        let items = try Self.items(of: data, limits: options.limits)
        return try unsafe data.bytes.withUnsafeBytes { bytes throws(DecodeError) in
            try unsafe Self.decode(bytes, items: items, options: options)
        }
    }

    /// Reads what the header of a file tells whose items have been checked, be it HEIC or AVIF.
    static func info(
        of bytes: UnsafeRawBufferPointer,
        items: HEIFItems,
        limits: DecodeLimits
    ) throws(DecodeError) -> ImageInfo {
        let reader = try unsafe HEIFReader(bytes, items: items)
        try limits.checkSize(reader.size, format: items.format)
        return ImageInfo(
            format: items.format,
            size: reader.size,
            hasAlpha: reader.hasAlpha,
            hasColorProfile: reader.hasColorProfile,
            bitDepth: reader.bitDepth,
            dynamicRange: reader.dynamicRange,
            pixelFormat: reader.pixelFormat
        )
    }

    /// Decodes the primary image of a file whose items have been checked, be it HEIC or AVIF.
    static func decode(
        _ bytes: UnsafeRawBufferPointer,
        items: HEIFItems,
        options: DecodeOptions
    ) throws(DecodeError) -> Image {
        let reader = try unsafe HEIFReader(bytes, items: items)
        try options.limits.checkSize(reader.size, format: items.format)
        let plan = DecodePlan(
            reader.size,
            orientation: .up,
            hasColorProfile: reader.hasColorProfile,
            options: options
        )
        return try plan.image(from: reader.decode(options: options), format: items.format)
    }

    private static func items(of data: Data, limits: DecodeLimits) throws(DecodeError) -> HEIFItems {
        try limits.checkInput(data, format: .heic)
        let boxes = try ISOBox.boxes(in: data, format: .heic, isFile: true)
        let items = try HEIFItems(data, boxes: boxes, format: .heic)
        try items.check(limits)
        return items
    }
}
