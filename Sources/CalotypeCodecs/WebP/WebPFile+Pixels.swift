import CCodecs
import CalotypeCore

extension cc_webp_bitstream {
    /// Creates the C structure of a bitstream; the file's bytes must outlive its use.
    init(_ bitstream: WebPBitstream, in file: UnsafeRawBufferPointer) {
        unsafe self.init(
            bytes: cc_bytes(file, bitstream.range),
            width: UInt32(bitstream.size.width),
            height: UInt32(bitstream.size.height)
        )
    }
}

extension cc_bytes {
    /// Creates the C structure of a part of a file; empty for `nil`.
    init(_ file: UnsafeRawBufferPointer, _ range: Range<Int>?) {
        unsafe self.init(UnsafeRawBufferPointer(rebasing: file[range ?? 0..<0]))
    }
}

extension WebPFile {
    /// Returns the transform from the file's colours to sRGB.
    func colorTransform(_ file: UnsafeRawBufferPointer, isWanted: Bool) -> ColorConversion {
        unsafe ColorConversion(
            profile: cc_bytes(file, profile),
            channels: channels,
            isWanted: isWanted && profile != nil
        )
    }

    /// Decodes a still, at the size of the plan.
    func decodeStill(
        _ bitstream: WebPBitstream,
        in file: UnsafeRawBufferPointer,
        _ plan: DecodePlan
    ) throws(DecodeError) -> Raster {
        let color = unsafe colorTransform(file, isWanted: plan.options.convertsToSRGB)
        let size = plan.size(decoding: bitstream)
        return try unsafe Raster(size: size, format: pixelFormat) { rows throws(DecodeError) in
            var source = unsafe cc_webp_bitstream(bitstream, in: file)
            var decoding = unsafe cc_webp_decoding(size, pixelFormat, color: color.transform)
            try unsafe CodecFailure.check(.webP) { message in
                unsafe cc_webp_decode(&source, &decoding, rows, message)
            }
        }
    }

    /// Draws a frame over the canvas of the previous frame.
    ///
    /// - Parameters:
    ///   - index: The frame.
    ///   - before: The canvas of the previous frame; `nil` if it is empty or completely covered.
    ///   - file: The file's bytes.
    /// - Returns: The canvas in the file's colours.
    /// - Throws: `DecodeError` if the frame is damaged.
    func draw(
        _ index: Int,
        over before: Raster?,
        in file: UnsafeRawBufferPointer
    ) throws(DecodeError) -> Raster {
        let frame = frames[index]
        var step = unsafe cc_webp_step()
        unsafe step.bitstream = cc_webp_bitstream(frame.bitstream, in: file)
        unsafe step.x = UInt32(frame.x)
        unsafe step.y = UInt32(frame.y)
        unsafe step.blends = frame.blends && !frame.isOpaque ? 1 : 0
        if before != nil, frames[index - 1].isDisposed { unsafe step.emptied = frames[index - 1].area }
        return try unsafe Raster(size: size, format: pixelFormat) { rows throws(DecodeError) in
            try unsafe CodecFailure.check(.webP) { message in
                unsafe Self.withBytes(of: before) { bytes in
                    unsafe step.before = cc_bytes(bytes).start
                    var canvas = unsafe cc_webp_decoding(size, pixelFormat, color: nil)
                    return unsafe cc_webp_draw(&step, &canvas, rows, message)
                }
            }
        }
    }

    private static func withBytes<Result>(
        of raster: Raster?,
        _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
        guard let raster else { return unsafe body(UnsafeRawBufferPointer(start: nil, count: 0)) }
        return unsafe raster.pixels.withUnsafeBytes(body)
    }
}

extension WebPFrame {
    /// The position on the canvas.
    fileprivate var area: cc_webp_area {
        cc_webp_area(
            x: UInt32(x),
            y: UInt32(y),
            width: UInt32(bitstream.size.width),
            height: UInt32(bitstream.size.height)
        )
    }
}

extension cc_webp_decoding {
    init(_ size: PixelSize, _ format: PixelFormat, color: OpaquePointer?) {
        unsafe self.init(
            width: UInt32(size.width),
            height: UInt32(size.height),
            bytes_per_pixel: UInt32(format.bytesPerPixel),
            color: color
        )
    }
}

extension DecodePlan {
    /// Returns the decode size of a still: the stored size, or a whole fraction of it that leaves at least
    /// twice the result on both sides.
    ///
    /// The library reduces images by averaging areas. Measured against a full decode with Lanczos 3
    /// resampling, for a photograph of 10 megapixels reduced to 631 × 473: averaging down to the result
    /// differs by 1.2 levels; the largest fraction that leaves twice the result differs by 0.4, in 72 ms of
    /// processor time instead of 430. A size between two fractions is not faster and differs more. Below half
    /// the stored size on each side nothing is gained. With alpha the lossy decoder averages colours without
    /// weights, so that those of transparent pixels bleed (2 to 4 levels at a tenth): such images are decoded
    /// in full. A lossless bitstream takes as long at any size, but its result takes less memory.
    func size(decoding bitstream: WebPBitstream) -> PixelSize {
        let (stored, needed) = (bitstream.size, resultSizeBeforeTurn)
        guard bitstream.isLossless || !bitstream.hasAlpha else { return stored }
        let divisor = min(stored.width / (2 * needed.width), stored.height / (2 * needed.height))
        guard divisor > 1 else { return stored }
        return PixelSize(
            width: (stored.width + divisor - 1) / divisor,
            height: (stored.height + divisor - 1) / divisor
        )
    }
}

extension Raster {
    /// Returns the pixels in other colours, or itself if there is nothing to convert.
    ///
    /// - Throws: `DecodeError` with `outOfMemory`.
    func converted(by color: borrowing ColorConversion) throws(DecodeError) -> Raster {
        guard let transform = unsafe color.transform else { return self }
        return try unsafe Raster(size: size, format: format) { rows throws(DecodeError) in
            try unsafe pixels.withUnsafeBytes { bytes throws(DecodeError) in
                // Rasters are not empty, so both have an address.
                guard let from = unsafe cc_bytes(bytes).start, let to = unsafe rows.bytes else { return }
                try size.forEachBand(.webP) { band throws(DecodeError) in
                    let start = unsafe band.lowerBound * rows.row_byte_count
                    let target = unsafe to + start
                    // In place, since a transform does not write the alpha of its target.
                    unsafe target.update(from: from + start, count: band.count * rows.row_byte_count)
                    unsafe cc_color_apply(transform, target, target, UInt32(band.count * size.width))
                }
            }
        }
    }
}
