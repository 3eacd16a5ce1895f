public import CalotypeCore
public import FoundationEssentials

/// Encodes BMP: gray as 8 bits with a palette, RGB as 24 bits, RGBA as 32 bits with masks (version 4).
///
/// No metadata is written. The format is uncompressed and has no quality: a result larger than the options'
/// `maxByteCount` is an error, reported before anything is allocated.
public struct BMPEncoder: ImageEncoder, Codable {
    /// The settings shared by all encoders.
    public var options: EncodeOptions

    /// Creates an encoder.
    public init(options: EncodeOptions = EncodeOptions()) {
        self.options = options
    }

    /// BMP.
    public var format: ImageFormat { .bmp }

    /// `bmp1(…)` with each property.
    public var cacheIdentity: String { "bmp1(\(options.cacheIdentity))" }

    /// Encodes an image.
    ///
    /// - Throws: ``EncodeError`` with `limitExceeded` if the result is larger than `maxByteCount`,
    ///   `unsupportedFeature` if it is larger than 4 GiB or a side longer than 2³¹ − 1 pixels, and
    ///   `outOfMemory`.
    public func encode(_ image: Image) throws(EncodeError) -> Data {
        let image = try options.resized(image, for: .bmp)
        let layout = BMPFileLayout(image.size, image.pixelFormat)
        try check(layout)
        do throws(DecodeError) {
            return try unsafe EncodedBytes(byteCount: layout.byteCount) { target in
                unsafe write(image, as: layout, into: target)
            }.data
        } catch {
            throw EncodeError(.outOfMemory, format: .bmp, detail: error.detail)
        }
    }

    private func write(_ image: Image, as layout: BMPFileLayout, into target: UnsafeMutableRawBufferPointer) {
        _ = unsafe layout.head.copyBytes(to: target)
        unsafe image.pixels.withUnsafeBytes { source in
            for y in 0..<image.size.height {
                let kept = image.size.height - 1 - y
                let row = layout.headByteCount + kept * layout.rowByteCount
                unsafe layout.writeRow(
                    UnsafeRawBufferPointer(rebasing: source[(y * image.bytesPerRow)...]),
                    into: UnsafeMutableRawBufferPointer(rebasing: target[row...])
                )
            }
        }
    }

    private func check(_ layout: BMPFileLayout) throws(EncodeError) {
        let side = max(layout.size.width, layout.size.height)
        guard side <= Int32.max, layout.byteCount <= UInt32.max else {
            throw EncodeError(
                .unsupportedFeature,
                format: .bmp,
                detail: "\(layout.size) pixels take \(layout.byteCount) bytes; a BMP has less than 4 GiB"
            )
        }
        guard UInt64(layout.byteCount) <= options.maxOutputByteCount else {
            throw EncodeError(
                .limitExceeded,
                format: .bmp,
                detail: "\(layout.byteCount) bytes, the limit is \(options.maxOutputByteCount)"
            )
        }
    }
}

extension BMPEncoder {
    /// Returns the encoder with other settings; the format is lossless and has no quality.
    ///
    /// - Throws: ``EncodeError``.
    public func adjusted(by adjustment: EncodeAdjustment) throws(EncodeError) -> BMPEncoder {
        try adjustment.check(for: format)
        var adjusted = self
        adjusted.options = options.adjusted(by: adjustment)
        return adjusted
    }
}
