import CCodecs
import CalotypeCore
import FoundationEssentials

/// An open JPEG image: owns the C reader, over bytes that must outlive it.
@safe struct JPEGReader: ~Copyable {
    private let reader: OpaquePointer
    private let header: cc_jpeg_header

    init(_ bytes: UnsafeRawBufferPointer) throws(DecodeError) {
        var header = unsafe cc_jpeg_header()
        let reader = try unsafe CodecFailure.open(.jpeg) { reader, message in
            unsafe cc_jpeg_open(cc_bytes(bytes), reader, &header, message)
        }
        unsafe self.reader = reader
        unsafe self.header = header
    }

    deinit {
        unsafe cc_jpeg_close(reader)
    }

    var size: PixelSize { unsafe header.size }

    var pixelFormat: PixelFormat { unsafe header.pixelFormat }

    var hasColorProfile: Bool { unsafe header.hasColorProfile }

    var colorSpace: ColorSpace { unsafe header.colorSpace }

    var exif: ExifFields { unsafe header.exifFields }

    /// True if the end marker of a decoded image was missing.
    var lacksEnd: Bool { unsafe cc_jpeg_lacks_end(reader) != 0 }

    /// Decodes all pixels at a fraction of the stored size.
    func decode(eighths: Int, options: DecodeOptions) throws(DecodeError) -> Raster {
        let color = unsafe header.color(options)
        var decoding = unsafe cc_jpeg_decoding(eighths: eighths, limits: options.limits, color)
        return try unsafe Raster(size, eighths: eighths, format: pixelFormat) { rows throws(DecodeError) in
            try unsafe CodecFailure.check(.jpeg) { message in
                unsafe cc_jpeg_decode(reader, &decoding, rows, message)
            }
        }
    }
}

extension cc_jpeg_header {
    var size: PixelSize { unsafe PixelSize(width: Int(width), height: Int(height)) }

    var pixelFormat: PixelFormat { unsafe bytes_per_pixel == 1 ? .gray8 : .rgb8 }

    var hasColorProfile: Bool { unsafe profile.start != nil }

    /// The colour space of unconverted pixels; CMYK is always converted to RGB.
    var colorSpace: ColorSpace {
        unsafe channels == .cmyk_inverted ? .sRGB : ColorSpace(profile: profile)
    }

    /// Returns the conversion of the colours that the options request.
    func color(_ options: DecodeOptions) -> ColorConversion {
        let isInk = unsafe channels == .cmyk_inverted
        let isWanted = options.convertsToSRGB || isInk && options.keepsWideGamut
        return unsafe ColorConversion(profile: profile, channels: channels, isWanted: isWanted)
    }

    /// The fields of the Exif segment; empty without one.
    var exifFields: ExifFields {
        guard let start = unsafe exif.start else { return ExifFields() }
        return unsafe ExifFields(Data(bytes: start, count: exif.count))
    }
}

extension cc_jpeg_decoding {
    /// The color must outlive the decode.
    init(eighths: Int, limits: DecodeLimits, _ color: borrowing ColorConversion) {
        unsafe self.init(
            eighths: UInt32(eighths),
            scan_pixel_max: UInt64(limits.maxScanPixelCount),
            coefficient_byte_max: UInt64(limits.maxWorkingByteCount),
            color: color.transform
        )
    }
}
