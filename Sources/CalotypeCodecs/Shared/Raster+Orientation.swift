import CalotypeCore

extension Raster {
    /// Returns the image turned upright from an orientation.
    ///
    /// - Throws: `DecodeError` with `outOfMemory`, or if the work has to stop.
    func upright(from orientation: Orientation) throws(DecodeError) -> Raster {
        guard orientation != .up else { return self }
        let walk = OrientedWalk(size, orientation)
        let turned = try unsafe PixelBuffer(byteCount: pixels.byteCount) { target throws(DecodeError) in
            try unsafe pixels.withUnsafeBytes { source throws(DecodeError) in
                switch format {
                case .gray8: try unsafe walk.copy(source, to: target, as: UInt8.self)
                case .rgb8: try unsafe walk.copy(source, to: target, as: ThreeBytes.self)
                case .rgba8: try unsafe walk.copy(source, to: target, as: UInt32.self)
                case .rgba16, .rgbaF16: try unsafe walk.copy(source, to: target, as: UInt64.self)
                }
            }
        }
        return Raster(size: orientation.applied(to: size), format: format, pixels: turned)
    }
}

/// A pixel of three bytes, copied as a unit.
private struct ThreeBytes: BitwiseCopyable {
    let first, second, third: UInt8
}

/// A traversal of the stored pixels in the order in which they are shown.
private struct OrientedWalk {
    let result: PixelSize
    /// The stored index of the pixel shown at the top left.
    let start: Int
    /// The distances from a stored index to that of the pixel shown to its right, and below it.
    let right: Int
    let down: Int

    init(_ stored: PixelSize, _ orientation: Orientation) {
        let (width, height) = (stored.width, stored.height)
        let last = width * height - 1
        result = orientation.applied(to: stored)
        (start, right, down) =
            switch orientation {
            case .up: (0, 1, width)
            case .upMirrored: (width - 1, -1, width)
            case .down: (last, -1, -width)
            case .downMirrored: (last - width + 1, 1, -width)
            case .leftMirrored: (0, width, 1)
            case .right: (last - width + 1, -width, 1)
            case .rightMirrored: (last, -width, -1)
            case .left: (width - 1, width, -1)
            }
    }

    /// Copies in tiles of 32 rows, since a shown row may be a stored column with each pixel in a separate
    /// cache line; a tile uses each line completely while it is cached.
    func copy<Pixel: BitwiseCopyable>(
        _ source: UnsafeRawBufferPointer,
        to target: UnsafeMutableRawBufferPointer,
        as pixel: Pixel.Type
    ) throws(DecodeError) {
        let from = unsafe source.assumingMemoryBound(to: Pixel.self)
        let to = unsafe target.assumingMemoryBound(to: Pixel.self)
        let tile = 32
        for top in stride(from: 0, to: result.height, by: tile) {
            try DecodeError.checkStop()
            for left in stride(from: 0, to: result.width, by: tile) {
                for y in top..<min(top + tile, result.height) {
                    var index = start + y * down + left * right
                    for x in left..<min(left + tile, result.width) {
                        unsafe to[y * result.width + x] = from[index]
                        index += right
                    }
                }
            }
        }
    }
}
