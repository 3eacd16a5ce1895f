import CCodecs
import CalotypeCore

extension cc_webp_bitstream {
    /// A bitstream as C takes it; the file's bytes must outlive it.
    init(_ bitstream: WebPBitstream, in file: UnsafeRawBufferPointer) {
        unsafe self.init(
            bytes: cc_bytes(file, bitstream.range),
            width: UInt32(bitstream.size.width),
            height: UInt32(bitstream.size.height)
        )
    }
}

extension cc_bytes {
    /// A part of a file as C takes it; nothing where there is no such part.
    init(_ file: UnsafeRawBufferPointer, _ range: Range<Int>?) {
        unsafe self.init(UnsafeRawBufferPointer(rebasing: file[range ?? 0..<0]))
    }
}

extension WebPFile {
    /// A way from the file's colours to sRGB.
    func colorTransform(_ file: UnsafeRawBufferPointer, isWanted: Bool) -> ColorTransform {
        unsafe ColorTransform(
            profile: cc_bytes(file, profile),
            channels: channels,
            isWanted: isWanted && profile != nil
        )
    }

    /// Decodes a still, at the size that the plan has for it.
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
            let failure = unsafe CodecFailure.of { message in
                unsafe cc_webp_decode(&source, &decoding, rows, message)
            }
            if let failure { throw failure.decodeError(.webP) }
        }
    }

    /// Draws the canvas of a frame over that of the frame before it.
    ///
    /// - Parameters:
    ///   - index: The frame.
    ///   - before: The canvas of the frame before; `nil` where it is empty or all covered.
    ///   - file: The file's bytes.
    /// - Returns: The canvas in the file's colours.
    /// - Throws: `DecodeError` where the frame is damaged.
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
            let failure = unsafe Self.withBytes(of: before) { bytes in
                unsafe step.before = cc_bytes(bytes).start
                var canvas = unsafe cc_webp_decoding(size, pixelFormat, color: nil)
                return unsafe CodecFailure.of { message in
                    unsafe cc_webp_draw(&step, &canvas, rows, message)
                }
            }
            if let failure { throw failure.decodeError(.webP) }
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
    /// Where it stands on the canvas.
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
    /// The size at which a still is decoded: the stored one, or a whole fraction of it that leaves at least
    /// twice the result on both sides.
    ///
    /// The library makes an image smaller by averaging over areas. Measured against decoding all of it and
    /// resampling with Lanczos 3, on a photograph of 10 megapixels to 631 × 473: averaging right down to the
    /// result is off by 1.2 levels, the greatest fraction that leaves twice the result by 0.4, in 72 ms of
    /// processor time instead of 430; a size between two fractions is no faster and further off. Below half
    /// the stored size on each side nothing is won. With alpha the lossy decoder averages colours without
    /// regard to it, so that those of transparent pixels bleed (2 to 4 levels at a tenth): such pictures are
    /// decoded whole. A lossless bitstream takes as long at any size, but its result less memory.
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
    /// The same pixels in other colours; itself where there is nothing to convert.
    ///
    /// - Throws: `DecodeError` with `outOfMemory`.
    func converted(by color: borrowing ColorTransform) throws(DecodeError) -> Raster {
        guard let transform = unsafe color.transform else { return self }
        return try unsafe Raster(size: size, format: format) { rows throws(DecodeError) in
            try unsafe pixels.withUnsafeBytes { bytes throws(DecodeError) in
                // Rasters have pixels, so both have an address.
                guard let from = unsafe cc_bytes(bytes).start, let to = unsafe rows.bytes else { return }
                try size.forEachBand(.webP) { band throws(DecodeError) in
                    let start = unsafe band.lowerBound * rows.row_byte_count
                    let target = unsafe to + start
                    // In place, since a transform leaves the alpha of its target as it is.
                    unsafe target.update(from: from + start, count: band.count * rows.row_byte_count)
                    unsafe cc_color_apply(transform, target, target, UInt32(band.count * size.width))
                }
            }
        }
    }
}
