public import CalotypeCore
public import FoundationEssentials

/// Decodes BMP: all versions of the header, 1 to 32 bits a pixel, palettes, bit fields and run lengths.
///
/// Alpha counts where the header has a mask for it; where plain pixels have one and all of it is 0, they are
/// opaque. The colour profile of version 5 is converted, calibrated colours are taken as sRGB. A JPEG or PNG
/// inside is decoded as such. Run lengths of 24 bits and the codes of OS/2, CMYK and 64 bits are unsupported.
///
/// - SeeAlso: Microsoft, "Bitmap Storage"; [MS-WMF] 2.2.2.
public struct BMPDecoder: ImageDecoder {
    /// Creates a decoder.
    public init() {}

    /// BMP.
    public var formats: [ImageFormat] { [.bmp] }

    /// Reads the header and the palette.
    ///
    /// - Throws: `DecodeError` where the header is damaged or the image is beyond the limits.
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
    /// - Throws: `DecodeError`; then there are no pixels.
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
    /// The file that the pixels are, where they are one; its own header has the size.
    fileprivate func embeddedFile() throws(DecodeError) -> EmbeddedFile? {
        let bytes = header.pixelByteCount == 0 ? pixels : pixels.prefix(header.pixelByteCount)
        switch header.compression {
        case .jpeg: return try EmbeddedFile(bytes: bytes, decoder: JPEGDecoder(), outerFormat: .bmp)
        case .png: return try EmbeddedFile(bytes: bytes, decoder: PNGDecoder(), outerFormat: .bmp)
        default: return nil
        }
    }
}
