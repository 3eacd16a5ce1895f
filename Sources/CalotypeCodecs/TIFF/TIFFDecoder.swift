public import CalotypeCore
public import FoundationEssentials

/// Decodes the first page of TIFF and BigTIFF with libvips and libtiff.
///
/// Supports gray, RGB, palettes, CMYK and L*a*b* in 1 to 32 bits, unsigned or floating point, in strips and
/// tiles, uncompressed or compressed with PackBits, LZW, deflate, JPEG, CCITT, LZMA, Zstandard and WebP.
/// Samples are rounded to 8 bits unless depth is retained; floating point is expected in 0...1. Premultiplied
/// alpha is divided out, accurate to one level. CMYK is converted through its profile, or without one by (255
/// − C)(255 − K) / 255.
///
/// - SeeAlso: TIFF 6.0; Adobe's supplements to it.
public struct TIFFDecoder: ImageDecoder {
    /// Creates a decoder.
    public init() {}

    /// TIFF.
    public var formats: [ImageFormat] { [.tiff] }

    /// Reads the tags of the first page.
    ///
    /// - Throws: `DecodeError` if they are damaged, pixels lie beyond the end of the file, or the image
    ///   exceeds the limits.
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
    /// - Throws: `DecodeError`, without pixels.
    public func decode(_ data: Data, options: DecodeOptions) throws(DecodeError) -> Image {
        try image(of: data, options: options)
    }

    /// Decodes the first page of a TIFF-based file of another format.
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

    /// Decodes the reduced image beside the first page, or below it (TIFF 6.0, tag 254).
    ///
    /// - Throws: `DecodeError` if it is damaged.
    public func thumbnail(in head: Data, options: DecodeOptions) throws(DecodeError) -> Image? {
        try TIFFThumbnail(head)?.image(of: head, options: options)
    }
}
