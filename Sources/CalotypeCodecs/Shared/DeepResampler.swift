import CCodecs
package import CalotypeCore
import CalotypeSupport
import FoundationEssentials

/// The interpolation of pixels of more than 8 bits.
package enum DeepKernel: String, Sendable {
    case nearest, linear, cubic, lanczos3

    /// The radius in pixels of the result or, when enlarging, of the source.
    var radius: Double {
        switch self {
        case .nearest: 0
        case .linear: 1
        case .cubic: 2
        case .lanczos3: 3
        }
    }

    func weight(_ distance: Double) -> Double {
        let x = abs(distance)
        guard x < radius else { return 0 }
        switch self {
        case .nearest: return 1
        case .linear: return 1 - x
        case .cubic:
            // Catmull–Rom.
            return x < 1 ? (1.5 * x - 2.5) * x * x + 1 : ((-0.5 * x + 2.5) * x - 4) * x + 2
        case .lanczos3:
            guard x > 1e-9 else { return 1 }
            let angle = x * .pi
            return 3 * sin(angle) * sin(angle / 3) / (angle * angle)
        }
    }
}

/// Resamples pixels of more than 8 bits, in floating point.
///
/// libvips has no half floats, and its pictures in this project have at most 8 bits.
package struct DeepResampler {
    private let across: DeepAxis
    private let down: DeepAxis
    private let size: PixelSize
    private let premultiplies: Bool
    /// The linear light of each value of a channel, or `nil` to mix levels.
    private let lights: [Float]?

    private init(
        _ source: Raster,
        to size: PixelSize,
        _ kernel: DeepKernel,
        inLinearLight: Bool
    ) throws(CodecFailure) {
        across = try DeepAxis(source.size.width, extent: source.extent.width, count: size.width, kernel)
        down = try DeepAxis(source.size.height, extent: source.extent.height, count: size.height, kernel)
        self.size = size
        premultiplies = kernel != .nearest
        let isInteger = source.format == .rgba16
        lights =
            !inLinearLight
            ? nil
            : isInteger ? DeepLight.table(for: UInt16.self) : DeepLight.table(for: Float16.self)
    }

    /// Resizes an image; scale, format and metadata are unchanged.
    ///
    /// - Precondition: The image has more than 8 bits, and `size` is not empty.
    /// - Throws: ``CodecFailure`` for lack of memory.
    package static func resize(
        _ image: Image,
        to size: PixelSize,
        kernel: DeepKernel = .lanczos3,
        inLinearLight: Bool
    ) throws(CodecFailure) -> Image {
        let source = Raster(size: image.size, format: image.pixelFormat, pixels: image.pixels)
        let raster = try resize(source, to: size, kernel: kernel, inLinearLight: inLinearLight)
        return image.replacing(raster)
    }

    static func resize(
        _ source: Raster,
        to size: PixelSize,
        kernel: DeepKernel = .lanczos3,
        inLinearLight: Bool
    ) throws(CodecFailure) -> Raster {
        precondition(source.format.isDeep && !size.isEmpty)
        let resampler = try DeepResampler(source, to: size, kernel, inLinearLight: inLinearLight)
        return source.format == .rgba16
            ? try resampler.resize(source, as: UInt16.self) : try resampler.resize(source, as: Float16.self)
    }

    private func resize<Channel: DeepChannel>(
        _ source: Raster,
        as channel: Channel.Type
    ) throws(CodecFailure) -> Raster {
        let byteCount = size.pixelCount * source.format.bytesPerPixel
        let resized = try unsafe PixelBuffer(byteCount: byteCount) { target throws(CodecFailure) in
            let line = try Scratch(SIMD4<Float>.zero, count: source.size.width)
            for y in 0..<size.height {
                if WorkStop.currentReason != nil { throw CodecFailure(status: .stopped, text: "") }
                unsafe source.pixels.withUnsafeBytes { bytes in
                    unsafe addRows(of: bytes, for: y, into: line, as: channel)
                }
                unsafe write(line, to: target, row: y, as: channel)
            }
        }
        return Raster(size: size, format: source.format, pixels: resized)
    }

    private func addRows<Channel: DeepChannel>(
        of bytes: UnsafeRawBufferPointer,
        for y: Int,
        into scratch: Scratch<SIMD4<Float>>,
        as channel: Channel.Type
    ) {
        let line = unsafe scratch.elements
        unsafe line.update(repeating: .zero)
        let taps = unsafe down.taps(of: y)
        for index in taps.indices {
            let tap = unsafe taps[index]
            let start = Int(tap.index) * line.count * 8
            for x in line.indices {
                unsafe line[x] += load(bytes, at: start + x * 8, as: channel) * tap.weight
            }
        }
    }

    @inline(__always)
    private func load<Channel: DeepChannel>(
        _ bytes: UnsafeRawBufferPointer,
        at start: Int,
        as channel: Channel.Type
    ) -> SIMD4<Float> {
        var pixel = SIMD4<Float>.zero
        for index in 0..<4 {
            let place = start + index * 2
            if let lights, index < 3 {
                pixel[index] = lights[Int(unsafe bytes.loadUnaligned(fromByteOffset: place, as: UInt16.self))]
            } else {
                pixel[index] = unsafe bytes.loadUnaligned(fromByteOffset: place, as: Channel.self).fraction
            }
        }
        guard premultiplies else { return pixel }
        let alpha = pixel.w
        pixel *= alpha
        pixel.w = alpha
        return pixel
    }

    private func write<Channel: DeepChannel>(
        _ line: Scratch<SIMD4<Float>>,
        to target: UnsafeMutableRawBufferPointer,
        row: Int,
        as channel: Channel.Type
    ) {
        for x in 0..<size.width {
            var pixel = SIMD4<Float>.zero
            let taps = unsafe across.taps(of: x)
            for index in taps.indices {
                let tap = unsafe taps[index]
                unsafe pixel += line.elements[Int(tap.index)] * tap.weight
            }
            if premultiplies {
                let alpha = min(1, max(0, pixel.w))
                pixel = alpha > 0 ? pixel / pixel.w : .zero
                pixel.w = alpha
            }
            if lights != nil { for index in 0..<3 { pixel[index] = pixel[index].sRGBLevel } }
            let start = (row * size.width + x) * 8
            for index in 0..<4 {
                unsafe target.storeBytes(
                    of: Channel(fraction: pixel[index]),
                    toByteOffset: start + index * 2,
                    as: Channel.self
                )
            }
        }
    }
}

extension Image {
    /// Copies a part of the pixels at any depth.
    ///
    /// - Precondition: The part lies within the image.
    /// - Throws: `DecodeError` with `outOfMemory`.
    package func croppedPixels(x: Int, y: Int, to part: PixelSize) throws(DecodeError) -> Image {
        replacing(try Raster(size: size, format: pixelFormat, pixels: pixels).cropped(x: x, y: y, to: part))
    }

    /// Returns the pixels turned and mirrored, as a stored image of an orientation is shown.
    ///
    /// - Throws: `DecodeError` with `outOfMemory`.
    package func turnedPixels(as orientation: Orientation) throws(DecodeError) -> Image {
        replacing(try Raster(size: size, format: pixelFormat, pixels: pixels).upright(from: orientation))
    }
}
