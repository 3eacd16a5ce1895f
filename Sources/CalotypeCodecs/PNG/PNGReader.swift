import CCodecs
import CalotypeCore

/// A PNG image that is being read: owns the C reader, over bytes that must outlive it.
@safe struct PNGReader: ~Copyable {
    private let reader: OpaquePointer
    private let header: cc_png_header

    /// Reads the header.
    init(_ bytes: UnsafeRawBufferPointer) throws(DecodeError) {
        var reader: OpaquePointer?
        var header = unsafe cc_png_header()
        let failure = unsafe CodecFailure.of { message in
            unsafe cc_png_open(cc_bytes(bytes), &reader, &header, message)
        }
        guard failure == nil, let reader = unsafe reader else {
            throw (failure ?? CodecFailure(status: cc_status.failure, text: "")).decodeError(.png)
        }
        unsafe self.reader = reader
        unsafe self.header = header
    }

    deinit {
        unsafe cc_png_close(reader)
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

    /// Decodes all pixels of the default image.
    func decode(options: DecodeOptions) throws(DecodeError) -> Raster {
        let color = unsafe ColorTransform(
            profile: header.profile,
            channels: channels,
            isWanted: options.convertsToSRGB
        )
        return try unsafe Raster(size: size, format: pixelFormat) { rows throws(DecodeError) in
            let failure = unsafe CodecFailure.of { message in
                unsafe cc_png_decode(reader, color.transform, rows, message)
            }
            if let failure { throw failure.decodeError(.png) }
        }
    }

    private var channels: cc_channels {
        switch pixelFormat {
        case .gray8: .gray
        case .rgb8: .rgb
        case .rgba8: .rgba
        }
    }
}
