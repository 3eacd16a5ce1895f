import CCodecs
public import CalotypeCore
import CalotypeSupport
public import FoundationEssentials

/// Encodes icons: one image, stored as PNG of 32 bits a pixel, as all readers of such icons support.
///
/// An image with a side above 256 pixels, which the directory cannot state, is reduced. Only the first frame
/// of an animation is written. The format is lossless and has no quality: a result larger than the options'
/// `maxByteCount` is an error.
///
/// - SeeAlso: Microsoft, "Icons in Win32".
public struct ICOEncoder: ImageEncoder, Codable {
    /// The longest side of an icon in pixels.
    public static let maxSide = 256

    /// The compression of the PNG: 0, uncompressed, to 9, slowest; 6 by default.
    public var compressionLevel: Int

    /// The settings shared by all encoders.
    public var options: EncodeOptions

    /// Creates an encoder.
    ///
    /// - Parameters:
    ///   - compressionLevel: 0...9.
    ///   - options: The settings shared by all encoders.
    public init(compressionLevel: Int = 6, options: EncodeOptions = EncodeOptions()) {
        self.compressionLevel = compressionLevel
        self.options = options
    }

    /// ICO.
    public var format: ImageFormat { .ico }

    /// `ico1(…)` with each property.
    public var cacheIdentity: String { "ico1(level=\(compressionLevel),\(options.cacheIdentity))" }

    /// Encodes an image.
    ///
    /// - Throws: ``EncodeError`` with `invalidParameter` if a setting is out of range, `limitExceeded` if the
    ///   result is larger than `maxByteCount`.
    public func encode(_ image: Image) throws(EncodeError) -> Data {
        try EncodeError.check(compressionLevel, in: 0...9, "compressionLevel", format)
        let image = try reduced(image)
        let head = 22
        var encoding = cc_png_encoding(
            level: Int32(compressionLevel),
            is_interlaced: 0,
            keeps_channels: 1,
            byte_count_max: options.maxByteCount.map { UInt64(max(0, $0 - head)) } ?? .max
        )
        do throws(CodecFailure) {
            let png = try unsafe image.encoded { pixels, output, message in
                unsafe cc_png_encode(pixels, &encoding, output, message)
            }
            return Data(Self.directory(of: image.size, byteCount: png.count, offset: head)) + png
        } catch {
            throw error.encodeError(.ico)
        }
    }

    /// Returns the image in the bounds of the options and of the format, with alpha.
    private func reduced(_ image: Image) throws(EncodeError) -> Image {
        let image = try options.resized(image, for: .ico)
        var bounds = EncodeOptions()
        bounds.maxSize = PixelBox(width: Self.maxSide, height: Self.maxSide)
        let small = try bounds.resized(image, for: .ico)
        guard small.pixelFormat != .rgba8 else { return small }
        do throws(DecodeError) {
            let pixels = try unsafe PixelBuffer(byteCount: 4 * small.size.pixelCount) {
                target throws(DecodeError) in
                _ = unsafe small.rgba8().copyBytes(to: target)
            }
            return Image(size: small.size, pixelFormat: .rgba8, pixels: pixels, format: small.format)
        } catch {
            throw EncodeError(.outOfMemory, format: .ico, detail: error.detail)
        }
    }

    /// The directory with one entry; a side of 256 pixels is stored as 0.
    private static func directory(of size: PixelSize, byteCount: Int, offset: Int) -> [UInt8] {
        var bytes: [UInt8] = [0, 0, 1, 0, 1, 0]
        bytes += [UInt8(truncatingIfNeeded: size.width), UInt8(truncatingIfNeeded: size.height), 0, 0]
        // One plane of 32 bits.
        bytes += [1, 0, 32, 0]
        bytes.append(integer: UInt32(truncatingIfNeeded: byteCount))
        bytes.append(integer: UInt32(truncatingIfNeeded: offset))
        return bytes
    }
}

extension ICOEncoder {
    /// Returns the encoder with other settings; the format is lossless and has no quality.
    ///
    /// - Throws: ``EncodeError``.
    public func adjusted(by adjustment: EncodeAdjustment) throws(EncodeError) -> ICOEncoder {
        try adjustment.check(for: format)
        var adjusted = self
        adjusted.compressionLevel = adjustment.effort(from: 0, to: 9, else: compressionLevel)
        adjusted.options = options.adjusted(by: adjustment)
        return adjusted
    }
}
