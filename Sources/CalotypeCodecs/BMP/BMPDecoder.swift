public import CalotypeCore
public import FoundationEssentials

/// Decodes BMP: all versions of the header, 1 to 32 bits a pixel, palettes, bit fields and run lengths.
///
/// Alpha is used if the header has a mask for it; in uncompressed pixels, an alpha mask whose values are all
/// 0 means opaque. The colour profile of version 5 is converted, calibrated colours are treated as sRGB. An
/// embedded JPEG or PNG is decoded as such. Run lengths of 24 bits and the codes of OS/2, CMYK and 64 bits
/// are unsupported.
///
/// - SeeAlso: Microsoft, "Bitmap Storage"; [MS-WMF] 2.2.2.
public struct BMPDecoder: ImageDecoder {
    /// Creates a decoder.
    public init() {}

    /// BMP.
    public var formats: [ImageFormat] { [.bmp] }

    /// Reads the header and the palette.
    ///
    /// - Throws: `DecodeError` if the header is damaged or the image exceeds the limits.
    public func info(of data: Data, limits: DecodeLimits) throws(DecodeError) -> ImageInfo {
        try limits.checkInput(data, format: .bmp)
        let reader = try BMPReader(file: data)
        if let file = try reader.embeddedFile() { return try file.info(limits: limits) }
        try limits.checkSize(reader.size, format: .bmp)
        return ImageInfo(
            format: .bmp,
            size: reader.size,
            hasAlpha: reader.hasAlpha,
            hasColorProfile: reader.hasColorProfile,
            pixelFormat: reader.pixelFormat
        )
    }

    /// Decodes the image.
    ///
    /// - Throws: `DecodeError`, without pixels.
    public func decode(_ data: Data, options: DecodeOptions) throws(DecodeError) -> Image {
        try options.limits.checkInput(data, format: .bmp)
        let reader = try BMPReader(file: data)
        if let file = try reader.embeddedFile() { return try file.decode(options: options) }
        try options.limits.checkSize(reader.size, format: .bmp)
        try reader.checkPixels(reader.size)
        let plan = DecodePlan(
            reader.size,
            orientation: .up,
            hasColorProfile: reader.hasColorProfile,
            options: options
        )
        return try plan.image(from: reader.decode(options: options), format: .bmp)
    }
}

extension BMPReader {
    /// Returns the embedded file that contains the pixels, if there is one; its own header states the size.
    fileprivate func embeddedFile() throws(DecodeError) -> EmbeddedFile? {
        let bytes = header.pixelByteCount == 0 ? pixels : pixels.prefix(header.pixelByteCount)
        switch header.compression {
        case .jpeg: return try EmbeddedFile(bytes: bytes, decoder: JPEGDecoder(), outerFormat: .bmp)
        case .png: return try EmbeddedFile(bytes: bytes, decoder: PNGDecoder(), outerFormat: .bmp)
        default: return nil
        }
    }
}
