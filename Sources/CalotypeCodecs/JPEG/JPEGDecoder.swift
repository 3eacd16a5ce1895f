public import CalotypeCore
public import FoundationEssentials

/// Decodes JPEG with libjpeg-turbo: baseline and progressive, gray, YCbCr, RGB, CMYK and YCCK.
///
/// Damage that the library detects is an error, even if the library would fill the gap with gray: missing
/// bytes, invalid codes at the end of a scan, lost restart markers. Damage that it cannot detect remains
/// unnoticed: bits that form other valid codes, and invalid codes in the middle of a scan, which it reads as
/// zeros. With arithmetic coding nothing marks the end of a scan, so data that is cut off and then ended
/// counts as an image whose rest needs no bits. A file that lacks only its end marker is decoded, and
/// `ImageMetadata.isFileTruncated` is set, except with arithmetic coding.
///
/// For a smaller result, the image is decoded at a fraction of its size that leaves at least twice the
/// result. CMYK is read as Adobe stores it, with 255 for no ink, and converted through its profile, or
/// without one by (255 − C)(255 − K) / 255.
///
/// - SeeAlso: ITU-T T.81; EXIF 2.32; ICC.1 annex B.4.
public struct JPEGDecoder: ImageDecoder {
    /// Creates a decoder.
    public init() {}

    /// JPEG.
    public var formats: [ImageFormat] { [.jpeg] }

    /// Reads the segments before the first scan.
    ///
    /// - Throws: `DecodeError` if the header is damaged or the image exceeds the limits.
    public func info(of data: Data, limits: DecodeLimits) throws(DecodeError) -> ImageInfo {
        try limits.checkInput(data, format: .jpeg)
        return try unsafe data.bytes.withUnsafeBytes { bytes throws(DecodeError) in
            let reader = try unsafe JPEGReader(bytes)
            try limits.checkSize(reader.size, format: .jpeg)
            return ImageInfo(
                format: .jpeg,
                size: reader.size,
                orientation: reader.exif.orientation ?? .up,
                hasColorProfile: reader.hasColorProfile,
                pixelFormat: reader.pixelFormat
            )
        }
    }

    /// Decodes the image.
    ///
    /// - Throws: `DecodeError`, without pixels.
    public func decode(_ data: Data, options: DecodeOptions) throws(DecodeError) -> Image {
        try options.limits.checkInput(data, format: .jpeg)
        return try unsafe data.bytes.withUnsafeBytes { bytes throws(DecodeError) in
            let reader = try unsafe JPEGReader(bytes)
            try options.limits.checkSize(reader.size, format: .jpeg)
            let exif = reader.exif
            let plan = DecodePlan(
                reader.size,
                orientation: exif.orientation ?? .up,
                hasColorProfile: reader.hasColorProfile,
                colorSpace: reader.colorSpace,
                copyright: exif.copyright,
                options: options
            )
            let decoded = try reader.decode(eighths: plan.eighths, options: options)
            return try plan.image(from: decoded, format: .jpeg).marked(isFileTruncated: reader.lacksEnd)
        }
    }

    /// Makes a decoder for bytes that are still arriving: it shows rows as they arrive, or for several scans
    /// the current state.
    public func makeIncrementalDecoder(
        for format: ImageFormat,
        options: DecodeOptions
    ) -> (any IncrementalDecoder)? {
        JPEGIncrementalDecoder(options: options)
    }

    /// Decodes the Exif thumbnail (EXIF 2.32 section 4.8.3).
    ///
    /// - Throws: `DecodeError` if it is damaged.
    public func thumbnail(in head: Data, options: DecodeOptions) throws(DecodeError) -> Image? {
        guard let exif = ExifThumbnail(jpeg: head) else { return nil }
        return try exif.picture.image(.jpeg, options: options, showing: exif.imageSize)
    }
}

extension Image {
    /// Returns the image with the flag for a missing end of file.
    func marked(isFileTruncated: Bool) -> Image {
        guard isFileTruncated else { return self }
        var metadata = metadata
        metadata.isFileTruncated = true
        return replacing(animation: animation, metadata: metadata)
    }
}

/// Repairs a file that lacks only its end.
extension JPEGDecoder: DamageRepairing {
    func repaired(_ file: Data) throws(DecodeError) -> Data? {
        try EncodedBytes(file, Data([0xFF, 0xD9])).data
    }
}
