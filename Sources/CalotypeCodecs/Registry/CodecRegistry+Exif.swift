public import CalotypeCore
public import FoundationEssentials

extension CodecRegistry {
    /// Reads the Exif block of an encoded image: camera, exposure, date and position.
    ///
    /// Decodes no pixels and needs no codec: the block is found and parsed with bounds checks, in
    /// microseconds. Supports JPEG, PNG, WebP, AVIF, HEIC, JPEG XL, TIFF and TIFF-based camera raws. Returns
    /// `nil` for BigTIFF and for a compressed block of JPEG XL.
    ///
    /// - Parameter data: The encoded image, or its first bytes.
    /// - Returns: The fields; `nil` without any.
    public func exif(of data: Data) -> Exif? {
        guard let format = ImageFormat(sniffing: data),
            let block = ExifBlock.block(of: data, format: format)
        else { return nil }
        return Exif(block: block)
    }
}
