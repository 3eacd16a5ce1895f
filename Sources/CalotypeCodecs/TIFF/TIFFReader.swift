import CCodecs
import CalotypeCore

/// The first page of a TIFF file that is being read: owns the C reader, over bytes that must outlive it.
@safe struct TIFFReader: ~Copyable {
    private let reader: OpaquePointer
    private let header: cc_tiff_header

    /// Reads the tags, which the layout has found to be sound.
    init(_ bytes: UnsafeRawBufferPointer, _ layout: TIFFLayout) throws(DecodeError) {
        var reader: OpaquePointer?
        var header = unsafe cc_tiff_header()
        let failure = unsafe CodecFailure.of { message in
            unsafe cc_tiff_open(cc_bytes(bytes), layout.hasAlpha ? 1 : 0, &reader, &header, message)
        }
        guard failure == nil, let reader = unsafe reader else {
            throw (failure ?? CodecFailure(status: cc_status.failure, text: "")).decodeError(.tiff)
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

    /// The layout that keeps the depth of the samples; `nil` where 8 bits do.
    var deepFormat: PixelFormat? {
        switch unsafe header.depth {
        case 1: .rgba16
        case 2: .rgbaF16
        default: nil
        }
    }

    var colorSpace: ColorSpace {
        // CMYK is converted in any case.
        unsafe header.channels == .cmyk ? .sRGB : ColorSpace(profile: header.profile)
    }

    /// Checks that the library sees the size that was checked.
    func check(_ layout: TIFFLayout) throws(DecodeError) {
        guard size == layout.size else {
            throw DecodeError(
                .corrupt,
                format: .tiff,
                detail: "the tags say \(layout.size) pixels, the library \(size)"
            )
        }
    }

    /// Decodes all pixels.
    func decode(options: DecodeOptions) throws(DecodeError) -> Raster {
        let deep = options.keepsDepth ? deepFormat : nil
        let color = unsafe ColorTransform(
            profile: header.profile,
            channels: deep?.channels ?? channels,
            isWanted: options.convertsToSRGB
        )
        return try unsafe Raster(size: size, format: deep ?? pixelFormat) { rows throws(DecodeError) in
            let failure = unsafe CodecFailure.of { message in
                unsafe cc_tiff_decode(reader, deep == nil ? 0 : 1, color.transform, rows, message)
            }
            if let failure { throw failure.decodeError(.tiff) }
        }
    }

    /// What is converted: the inks as stored, all else as it comes out.
    private var channels: cc_channels {
        if unsafe header.channels == .cmyk { return .cmyk }
        return pixelFormat.channels
    }
}
