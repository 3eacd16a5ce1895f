public import CalotypeCore
public import FoundationEssentials

/// Decodes camera raws by their largest embedded JPEG: the image as developed by the camera.
///
/// Supports DNG, CR2, CR3, NEF, ARW, PEF, SRW, RW2 and RAF. Sensor samples are not developed. Without a JPEG,
/// a small picture of 8 bits is decoded, which some DNG files contain, in builds with TIFF. The orientation
/// is that of the raw file, or if it states none, that of the preview. The size in `ImageInfo` is that of the
/// decoded image.
///
/// - SeeAlso: TIFF 6.0; TIFF/EP, ISO 12234-2; Digital Negative 1.7.
public struct CameraRawDecoder: ImageDecoder {
    /// Creates a decoder.
    public init() {}

    /// All camera raws.
    public var formats: [ImageFormat] { ImageFormat.cameraRaws }

    /// Recognizes a camera raw by its magic number or, if it starts like a TIFF, by its directories.
    public func recognizes(_ data: Data) -> ImageFormat? { CameraRawPreview(data)?.format }

    /// Reads the header of the preview.
    ///
    /// - Throws: `DecodeError`, with `unsupportedFeature` if there is no preview.
    public func info(of data: Data, limits: DecodeLimits) throws(DecodeError) -> ImageInfo {
        let raw = try raw(data, limits)
        if let preview = raw.preview { return try preview.info(raw.format, limits: limits) }
        let picture = try picture(of: raw, in: data)
        do throws(DecodeError) {
            var info = try TIFFDecoder().info(of: picture, limits: limits)
            info.format = raw.format
            info.orientation = raw.orientation ?? info.orientation
            return info
        } catch {
            throw DecodeError(error.code, format: raw.format, detail: error.detail)
        }
    }

    /// Decodes the preview.
    ///
    /// - Throws: `DecodeError`, without pixels.
    public func decode(_ data: Data, options: DecodeOptions) throws(DecodeError) -> Image {
        let raw = try raw(data, options.limits)
        if let preview = raw.preview { return try preview.image(raw.format, options: options) }
        let picture = try picture(of: raw, in: data)
        do throws(DecodeError) {
            return try TIFFDecoder().image(
                of: picture,
                options: options,
                orientation: raw.orientation,
                format: raw.format
            )
        } catch {
            throw DecodeError(error.code, format: raw.format, detail: error.detail)
        }
    }

    /// Decodes the largest preview that has arrived.
    ///
    /// - Throws: `DecodeError` if it is damaged.
    public func thumbnail(in head: Data, options: DecodeOptions) throws(DecodeError) -> Image? {
        guard let raw = CameraRawPreview(head), let preview = raw.preview else { return nil }
        return try preview.image(raw.format, options: options)
    }

    private func raw(_ data: Data, _ limits: DecodeLimits) throws(DecodeError) -> CameraRawPreview {
        try limits.checkInput(data)
        guard let raw = CameraRawPreview(data) else {
            throw DecodeError(.unrecognizedFormat, detail: "the file is not a camera raw")
        }
        return raw
    }

    /// Returns the file with the directory of its small picture as the first.
    private func picture(of raw: CameraRawPreview, in data: Data) throws(DecodeError) -> Data {
        guard let place = raw.pictureDirectory, let file = try data.startingTIFF(at: place) else {
            throw DecodeError(
                .unsupportedFeature,
                format: raw.format,
                detail: "the camera raw has no decodable preview; developing its samples is not supported"
            )
        }
        return file
    }
}

extension Data {
    /// Returns a TIFF file with another of its directories as the first; `nil` if its offset is too large.
    ///
    /// - Throws: `DecodeError` with `outOfMemory`.
    func startingTIFF(at directory: Int) throws(DecodeError) -> Data? {
        guard let head = TIFFHeader(self), head.isBig || directory <= Int(UInt32.max) else { return nil }
        let (start, byteCount) = head.isBig ? (8, 8) : (4, 4)
        guard count >= start + byteCount else { return nil }
        let bytes = (0..<byteCount).map { UInt8(truncatingIfNeeded: directory >> (8 * $0)) }
        let place = start..<start + byteCount
        return try copy(replacing: place, with: head.isLittleEndian ? bytes : bytes.reversed())
    }
}
