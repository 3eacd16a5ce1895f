import CCodecs
import CalotypeCore

/// The first page of an open TIFF file: owns the C reader, over bytes that must outlive it.
@safe struct TIFFReader: ~Copyable {
    private let reader: OpaquePointer
    private let header: cc_tiff_header

    init(_ bytes: UnsafeRawBufferPointer, _ layout: TIFFLayout) throws(DecodeError) {
        var header = unsafe cc_tiff_header()
        let reader = try unsafe CodecFailure.open(.tiff) { reader, message in
            unsafe cc_tiff_open(cc_bytes(bytes), layout.hasAlpha ? 1 : 0, reader, &header, message)
        }
        unsafe self.reader = reader
        unsafe self.header = header
    }

    deinit {
        unsafe cc_tiff_close(reader)
    }

    var size: PixelSize { unsafe PixelSize(width: Int(header.width), height: Int(header.height)) }

    var hasAlpha: Bool { unsafe header.has_alpha != 0 }

    var hasColorProfile: Bool { unsafe header.profile.start != nil }

    var pixelFormat: PixelFormat {
        switch unsafe header.bytes_per_pixel {
        case 1: .gray8
        case 3: .rgb8
        default: .rgba8
        }
    }

    /// The pixel format that retains the depth of the samples; `nil` if 8 bits suffice.
    var deepFormat: PixelFormat? {
        switch unsafe header.depth {
        case 1: .rgba16
        case 2: .rgbaF16
        default: nil
        }
    }

    var colorSpace: ColorSpace {
        // CMYK is always converted.
        unsafe header.channels == .cmyk ? .sRGB : ColorSpace(profile: header.profile)
    }

    /// Checks that the library reads the size that was checked.
    func check(_ layout: TIFFLayout) throws(DecodeError) {
        guard size == layout.size else {
            throw DecodeError(
                .corrupt,
                format: .tiff,
                detail: "the tags state \(layout.size) pixels, the library reads \(size)"
            )
        }
    }

    /// Decodes all pixels.
    func decode(options: DecodeOptions) throws(DecodeError) -> Raster {
        let deep = options.keepsDepth ? deepFormat : nil
        let isInk = unsafe header.channels == .cmyk
        let color = unsafe ColorConversion(
            profile: header.profile,
            channels: deep?.channels ?? channels,
            isWanted: options.convertsToSRGB || isInk && options.keepsWideGamut
        )
        return try unsafe Raster(size: size, format: deep ?? pixelFormat) { rows throws(DecodeError) in
            try unsafe CodecFailure.check(.tiff) { message in
                unsafe cc_tiff_decode(reader, deep == nil ? 0 : 1, color.transform, rows, message)
            }
        }
    }

    /// The channels to convert: inks as stored, others as decoded.
    private var channels: cc_channels {
        if unsafe header.channels == .cmyk { return .cmyk }
        return pixelFormat.channels
    }
}
