public import CalotypeCore
public import FoundationEssentials

/// Decodes the raws of cameras by the largest JPEG that they have inside: the picture as the camera has
/// developed it.
///
/// DNG, CR2, CR3, NEF, ARW, PEF, SRW, RW2 and RAF. The samples of the sensor are not developed. Where there
/// is no JPEG, a small picture of 8 bits is decoded, as some DNG have one, in builds that have TIFF. The
/// orientation is that of the raw where it states one, else that of the preview; the size in
/// `ImageInfo` is that of what is decoded.
///
/// - SeeAlso: TIFF 6.0; TIFF/EP, ISO 12234-2; Digital Negative 1.7.
public struct CameraRawDecoder: ImageDecoder {
    /// Creates a decoder.
    public init() {}

    /// The raws of cameras.
    public var formats: [ImageFormat] { ImageFormat.cameraRaws }

    /// The format of a raw, by its magic number or, where it begins as a TIFF, by its directories.
    public func recognizes(_ data: Data) -> ImageFormat? { CameraRaw(data)?.format }

    /// Reads what the header of the preview tells.
    ///
    /// - Throws: `DecodeError`, with `unsupportedFeature` where there is no preview.
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
    /// - Throws: `DecodeError`; then there are no pixels.
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

    /// The largest preview that has come.
    ///
    /// - Throws: `DecodeError` where it is damaged.
    public func thumbnail(in head: Data, options: DecodeOptions) throws(DecodeError) -> Image? {
        guard let raw = CameraRaw(head), let preview = raw.preview else { return nil }
        return try preview.image(raw.format, options: options)
    }

    private func raw(_ data: Data, _ limits: DecodeLimits) throws(DecodeError) -> CameraRaw {
        try limits.checkInput(data)
        guard let raw = CameraRaw(data) else {
            throw DecodeError(.unrecognizedFormat, detail: "the file is not the raw of a camera")
        }
        return raw
    }

    /// The file with the directory of its small picture as the first.
    private func picture(of raw: CameraRaw, in data: Data) throws(DecodeError) -> Data {
        guard let place = raw.pictureDirectory, let file = try data.startingTIFF(at: place) else {
            throw DecodeError(
                .unsupportedFeature,
                format: raw.format,
                detail: "the raw has no preview that can be decoded, and its samples are not developed"
            )
        }
        return file
    }
}

extension Data {
    /// A TIFF file whose first directory is another of those that it has; `nil` where its offset is too
    /// large.
    ///
    /// - Throws: `DecodeError` with `outOfMemory`.
    func startingTIFF(at directory: Int) throws(DecodeError) -> Data? {
        guard let head = TIFFHead(self), head.isBig || directory <= Int(UInt32.max) else { return nil }
        let (start, byteCount) = head.isBig ? (8, 8) : (4, 4)
        guard count >= start + byteCount else { return nil }
        let bytes = (0..<byteCount).map { UInt8(truncatingIfNeeded: directory >> (8 * $0)) }
        let place = start..<start + byteCount
        return try copy(replacing: place, with: head.isLittleEndian ? bytes : bytes.reversed())
    }
}
