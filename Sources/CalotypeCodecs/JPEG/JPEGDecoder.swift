public import CalotypeCore
public import FoundationEssentials

/// Decodes JPEG with libjpeg-turbo: baseline and progressive, gray, YCbCr, RGB, CMYK and YCCK.
///
/// Damage that the library notices is an error, also where it would fill the gap with gray: missing bytes,
/// codes that do not exist at the end of a scan, lost restart markers. What it cannot notice passes: bits
/// that are other codes, and codes that no table has in the middle of a scan, which it takes for zeros.
/// Where the coding is arithmetic nothing marks the end of a scan: what is cut off in it and then ended is
/// taken for a picture whose rest takes no bits. A file that lacks no more than its end marker is decoded,
/// and
/// `ImageMetadata.isFileTruncated` is set; not where the coding is arithmetic.
///
/// An image that is wanted smaller is decoded at a fraction of its size where that leaves at least twice what
/// is wanted. CMYK is taken as Adobe stores it, 255 for no ink, and converted through its profile, or without
/// one by (255 − C)(255 − K) / 255.
///
/// - SeeAlso: ITU-T T.81; EXIF 2.32; ICC.1 annex B.4.
public struct JPEGDecoder: ImageDecoder {
    /// Creates a decoder.
    public init() {}

    /// JPEG.
    public var formats: [ImageFormat] { [.jpeg] }

    /// Reads the segments before the first scan.
    ///
    /// - Throws: `DecodeError` where the header is damaged or the image is beyond the limits.
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
    /// - Throws: `DecodeError`; then there are no pixels.
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

    /// A decoder for bytes that are still arriving: rows as they come; of several scans, what they tell by
    /// now.
    public func makeIncrementalDecoder(
        for format: ImageFormat,
        options: DecodeOptions
    ) -> (any IncrementalDecoder)? {
        JPEGIncrementalDecoder(options: options)
    }

    /// The thumbnail of Exif (EXIF 2.32 section 4.8.3).
    ///
    /// - Throws: `DecodeError` where it is damaged.
    public func thumbnail(in head: Data, options: DecodeOptions) throws(DecodeError) -> Image? {
        guard let exif = ExifThumbnail(jpeg: head) else { return nil }
        return try exif.picture.image(.jpeg, options: options, showing: exif.imageSize)
    }
}

extension Image {
    /// The same image, whose metadata tells whether the end of its file is missing.
    func marked(isFileTruncated: Bool) -> Image {
        guard isFileTruncated else { return self }
        var metadata = metadata
        metadata.isFileTruncated = true
        return replacing(animation: animation, metadata: metadata)
    }
}

/// A file that only lacks its end is whole.
extension JPEGDecoder: DamageRepairing {
    func repaired(_ file: Data) throws(DecodeError) -> Data? {
        try EncodedBytes(file, Data([0xFF, 0xD9])).data
    }
}
