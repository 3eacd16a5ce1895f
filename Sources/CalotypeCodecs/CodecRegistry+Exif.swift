public import CalotypeCore
public import FoundationEssentials

extension CodecRegistry {
    /// Reads the Exif block of an encoded image: camera, exposure, date and position.
    ///
    /// No pixels are decoded and no codec is needed: the block is found and parsed with every bound checked,
    /// in microseconds. JPEG, PNG, WebP, AVIF, HEIC, JPEG XL, TIFF and the raws built like it are read. A
    /// JPEG XL that compresses the block and a BigTIFF give `nil`.
    ///
    /// - Parameter data: The encoded image, or its first bytes.
    /// - Returns: The fields; `nil` where there are none.
    public func exif(of data: Data) -> Exif? {
        guard let format = ImageFormat(sniffing: data),
            let block = ExifBlock.block(of: data, format: format)
        else { return nil }
        return Exif(block: block)
    }
}
