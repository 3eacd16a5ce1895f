import CalotypeCore

extension Raster {
    /// Returns a part of the image, or itself for the whole.
    ///
    /// - Precondition: The part lies within the image.
    /// - Throws: `DecodeError` with `outOfMemory`.
    func cropped(x: Int, y: Int, to part: PixelSize) throws(DecodeError) -> Raster {
        guard part != size else { return self }
        precondition(x >= 0 && y >= 0 && x + part.width <= size.width && y + part.height <= size.height)
        let step = format.bytesPerPixel
        let rowByteCount = part.width * step
        let byteCount = rowByteCount * part.height
        let cropped = try unsafe PixelBuffer(byteCount: byteCount) { target throws(DecodeError) in
            unsafe pixels.withUnsafeBytes { source in
                for row in 0..<part.height {
                    let start = ((y + row) * size.width + x) * step
                    let bytes = unsafe UnsafeRawBufferPointer(rebasing: source[start..<start + rowByteCount])
                    let place = row * rowByteCount
                    unsafe UnsafeMutableRawBufferPointer(rebasing: target[place..<place + rowByteCount])
                        .copyMemory(from: bytes)
                }
            }
        }
        return Raster(size: part, format: format, pixels: cropped)
    }
}
