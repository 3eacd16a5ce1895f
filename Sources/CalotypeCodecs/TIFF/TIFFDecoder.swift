public import CalotypeCore
public import FoundationEssentials

/// Decodes the first page of TIFF and BigTIFF with libvips and libtiff.
///
/// Gray, RGB, palettes, CMYK and L*a*b* in 1 to 32 bits, unsigned or floating point, which are rounded to 8
/// unless depth is kept; floating point is taken as 0...1. Strips and tiles, uncompressed or in PackBits,
/// LZW, deflate, JPEG, CCITT, LZMA, Zstandard and WebP. Alpha that is multiplied in is divided out, to within
/// a level. CMYK is converted through its profile, or without one by (255 − C)(255 − K) / 255.
///
/// - SeeAlso: TIFF 6.0; Adobe's supplements to it.
public struct TIFFDecoder: ImageDecoder {
    /// Creates a decoder.
    public init() {}

    /// TIFF.
    public var formats: [ImageFormat] { [.tiff] }

    /// Reads the tags of the first page.
    ///
    /// - Throws: `DecodeError` where they are damaged, pixels lie beyond the end of the file, or the image
    ///   is beyond the limits.
    public func info(of data: Data, limits: DecodeLimits) throws(DecodeError) -> ImageInfo {
        try limits.checkInput(data, format: .tiff)
        let layout = try TIFFLayout(data)
        try layout.check(limits)
        return try unsafe layout.file.bytes.withUnsafeBytes { bytes throws(DecodeError) in
            let reader = try unsafe TIFFReader(bytes, layout)
            try reader.check(layout)
            return ImageInfo(
                format: .tiff,
                size: reader.size,
                orientation: layout.orientation,
                hasAlpha: reader.hasAlpha,
                hasColorProfile: reader.hasColorProfile,
                bitDepth: layout.bitDepth,
                pixelFormat: reader.pixelFormat
            )
        }
    }

    /// Decodes the first page.
    ///
    /// - Throws: `DecodeError`; then there are no pixels.
    public func decode(_ data: Data, options: DecodeOptions) throws(DecodeError) -> Image {
        try image(of: data, options: options)
    }

    /// Decodes the first page of a file of another format that is built as a TIFF is.
    func image(
        of data: Data,
        options: DecodeOptions,
        orientation: Orientation? = nil,
        format: ImageFormat = .tiff
    ) throws(DecodeError) -> Image {
        try options.limits.checkInput(data, format: .tiff)
        let layout = try TIFFLayout(data)
        try layout.check(options.limits)
        try layout.checkPacking(options.limits)
        return try unsafe layout.file.bytes.withUnsafeBytes { bytes throws(DecodeError) in
            let reader = try unsafe TIFFReader(bytes, layout)
            try reader.check(layout)
            let plan = DecodePlan(
                reader.size,
                orientation: orientation ?? layout.orientation,
                hasColorProfile: reader.hasColorProfile,
                colorSpace: reader.colorSpace,
                isDeep: options.keepsDepth && reader.deepFormat != nil,
                copyright: layout.copyright,
                options: options
            )
            return try plan.image(from: reader.decode(options: options), format: format)
        }
    }

    /// The reduced image that stands beside the first page, or below it (TIFF 6.0, tag 254).
    ///
    /// - Throws: `DecodeError` where it is damaged.
    public func thumbnail(in head: Data, options: DecodeOptions) throws(DecodeError) -> Image? {
        try TIFFThumbnail(head)?.image(of: head, options: options)
    }
}
