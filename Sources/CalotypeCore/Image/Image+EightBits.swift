/// A channel of more than 8 bits.
package protocol DeepChannel: BitwiseCopyable {
    /// Creates a channel from 0...1 for black to white; floating point may exceed that range.
    init(fraction: Float)

    /// The value as in ``init(fraction:)``.
    var fraction: Float { get }

    /// The value rounded to 0...255.
    var level: UInt8 { get }
}

extension UInt16: DeepChannel {
    /// Clamps to 0...1 and rounds.
    package init(fraction: Float) {
        // NaN becomes 0, like negative values.
        self = fraction > 0 ? UInt16(Swift.min(fraction, 1) * 65_535 + 0.5) : 0
    }

    /// The value divided by 65,535.
    package var fraction: Float { Float(self) / 65_535 }

    /// The value rounded to 0...255.
    package var level: UInt8 { UInt8((UInt32(self) * 255 + 32_767) / 65_535) }
}

extension Float16: DeepChannel {
    /// Rounds to the nearest half float.
    package init(fraction: Float) { self.init(fraction) }

    package var fraction: Float { Float(self) }

    /// The value clamped to 0...1 and rounded to 0...255.
    package var level: UInt8 { self > 0 ? UInt8(Swift.min(Float(self), 1) * 255 + 0.5) : 0 }
}

extension PixelFormat {
    /// True if a channel has more than 8 bits.
    public var isDeep: Bool { self == .rgba16 || self == .rgbaF16 }
}

extension Image {
    /// Returns the image with 8 bits a channel, rounded, in the same colour space; returns itself if it has
    /// no more.
    ///
    /// Floating point is clamped to 0...1. The frames of an animation are converted on demand.
    ///
    /// - Returns: `rgb8`, or `rgba8` if a pixel is translucent.
    /// - Throws: `DecodeError` with `outOfMemory`.
    public func reducedToEightBits() throws(DecodeError) -> Image {
        guard pixelFormat.isDeep else { return self }
        let format: PixelFormat = isOpaque ? .rgb8 : .rgba8
        let byteCount = size.pixelCount * format.bytesPerPixel
        let reduced = try unsafe PixelBuffer(byteCount: byteCount) { target throws(DecodeError) in
            unsafe pixels.withUnsafeBytes { source in
                let step = format.bytesPerPixel
                for index in 0..<size.pixelCount {
                    let pixel = unsafe deepLevels(source, at: index)
                    for channel in 0..<step { unsafe target[index * step + channel] = pixel[channel] }
                }
            }
        }
        let still = Image(
            size: size,
            pixelFormat: format,
            pixels: reduced,
            scale: scale,
            format: self.format,
            metadata: metadata
        )
        guard let animation else { return still }
        let frames = animation.mapping(firstFrame: still) { try $0.reducedToEightBits() }
        return still.replacing(animation: frames)
    }

    /// Returns the still with half floats clamped to 0...1 and converted to 16-bit integers; returns itself
    /// without half floats.
    ///
    /// - Throws: `DecodeError` with `outOfMemory`.
    package func convertedToIntegers() throws(DecodeError) -> Image {
        guard pixelFormat == .rgbaF16 else { return self }
        let integers = try unsafe PixelBuffer(byteCount: pixels.byteCount) { target throws(DecodeError) in
            unsafe pixels.withUnsafeBytes { source in
                for start in stride(from: 0, to: source.count, by: 2) {
                    let value = unsafe source.load(fromByteOffset: start, as: Float16.self)
                    let integer = UInt16(fraction: value.fraction)
                    unsafe target.storeBytes(of: integer, toByteOffset: start, as: UInt16.self)
                }
            }
        }
        return Image(
            size: size,
            pixelFormat: .rgba16,
            pixels: integers,
            scale: scale,
            format: format,
            metadata: metadata
        )
    }

    /// Returns the channels of a pixel of more than 8 bits, rounded to 0...255.
    @inline(__always)
    package func deepLevels(_ source: UnsafeRawBufferPointer, at index: Int) -> SIMD4<UInt8> {
        let start = index * 8
        if pixelFormat == .rgba16 {
            let pixel = unsafe source.loadUnaligned(fromByteOffset: start, as: SIMD4<UInt16>.self)
            return SIMD4(pixel.x.level, pixel.y.level, pixel.z.level, pixel.w.level)
        }
        let pixel = unsafe source.loadUnaligned(fromByteOffset: start, as: SIMD4<Float16>.self)
        return SIMD4(pixel.x.level, pixel.y.level, pixel.z.level, pixel.w.level)
    }
}
