import CCodecs
import CalotypeCore

/// An open PNG image: owns the C reader, over bytes that must outlive it.
@safe struct PNGReader: ~Copyable {
    private let reader: OpaquePointer
    let header: cc_png_header

    init(_ bytes: UnsafeRawBufferPointer, keepsDepth: Bool = false) throws(DecodeError) {
        var header = unsafe cc_png_header()
        let reader = try unsafe CodecFailure.open(.png) { reader, message in
            unsafe cc_png_open(cc_bytes(bytes), keepsDepth ? 1 : 0, reader, &header, message)
        }
        unsafe self.reader = reader
        unsafe self.header = header
    }

    deinit {
        unsafe cc_png_close(reader)
    }

    var size: PixelSize { unsafe header.size }

    var hasAlpha: Bool { unsafe header.has_alpha != 0 }

    var hasColorProfile: Bool { unsafe header.hasColorProfile }

    var dynamicRange: DynamicRange { unsafe DynamicRange(transfer: header.transfer) }

    var bitDepth: Int { unsafe Int(header.bit_depth) }

    var pixelFormat: PixelFormat { unsafe header.pixelFormat }

    /// Decodes all pixels of the default image, in its own format or with an opaque alpha channel added.
    func decode(
        as format: PixelFormat,
        options: DecodeOptions,
        path: PNGPath = .either
    ) throws(DecodeError) -> Raster {
        let color = colorTransform(for: format, options: options)
        var decoding = unsafe cc_png_decoding(
            path: path.code,
            adds_alpha: format == .rgba8 ? 1 : 0,
            color: color.transform
        )
        return try unsafe Raster(size: size, format: format) { rows throws(DecodeError) in
            try unsafe CodecFailure.check(.png) { message in
                unsafe cc_png_decode(reader, &decoding, rows, message)
            }
        }
    }

    /// Returns the transform from the file's colours to sRGB, for pixels of a format.
    func colorTransform(for format: PixelFormat, options: DecodeOptions) -> ColorConversion {
        unsafe ColorConversion(png: header, format: format, options: options)
    }
}

/// The decoding path of a PNG file; the results are equal.
package enum PNGPath {
    /// The fast path without libpng if it supports the file, otherwise libpng.
    case either
    case libPNG
    /// The fast path only; throws for files that it does not support.
    case plain

    fileprivate var code: cc_png_path {
        switch self {
        case .either: .either
        case .libPNG: .libpng
        case .plain: .plain
        }
    }
}

extension ColorConversion {
    /// Creates the transform from the colours of a PNG file to sRGB, for pixels of a format.
    init(png header: cc_png_header, format: PixelFormat, options: DecodeOptions) {
        unsafe self.init(
            profile: header.profile,
            channels: format.channels,
            isWanted: options.convertsToSRGB
        )
    }
}

extension cc_png_header {
    var size: PixelSize { unsafe PixelSize(width: Int(width), height: Int(height)) }

    var pixelFormat: PixelFormat {
        switch unsafe bytes_per_pixel {
        case 1: .gray8
        case 3: .rgb8
        case 8: .rgba16
        default: .rgba8
        }
    }

    var hasColorProfile: Bool { unsafe has_profile != 0 }

    /// Code points take precedence over a profile.
    var colorSpace: ColorSpace {
        let icc = unsafe primaries == 0 ? profile : cc_bytes()
        return unsafe ColorSpace(profile: icc, primaries: primaries, transfer: transfer)
    }
}
