import CCodecs
import CalotypeCore

/// The primary image of an open HEIF file: owns the C reader, over bytes that must outlive it.
@safe struct HEIFReader: ~Copyable {
    /// The maximum side of an item; the sides of a grid in 16 bits have the same limit.
    private static let maxSide: UInt32 = 65_535

    private let reader: OpaquePointer
    private let header: cc_heif_header
    private let isGray: Bool
    private let format: ImageFormat

    /// Reads all boxes; `items` are those of the same file, which have been checked.
    init(_ bytes: UnsafeRawBufferPointer, items: HEIFItems) throws(DecodeError) {
        var header = unsafe cc_heif_header()
        let reader = try unsafe CodecFailure.open(items.format) { reader, message in
            unsafe cc_heif_open(cc_bytes(bytes), Self.maxSide, reader, &header, message)
        }
        unsafe self.reader = reader
        unsafe self.header = header
        isGray = items.isGray
        format = items.format
    }

    deinit {
        unsafe cc_heif_close(reader)
    }

    /// The size after all transformations.
    var size: PixelSize { unsafe PixelSize(width: Int(header.width), height: Int(header.height)) }

    var hasAlpha: Bool { unsafe header.has_alpha != 0 }

    var hasColorProfile: Bool { unsafe header.has_profile != 0 }

    var bitDepth: Int { unsafe Int(header.bit_depth) }

    var dynamicRange: DynamicRange { unsafe DynamicRange(transfer: header.transfer) }

    var pixelFormat: PixelFormat { hasAlpha ? .rgba8 : isGray ? .gray8 : .rgb8 }

    /// Returns the format of the decoded pixels, with or without depth.
    func pixelFormat(keepsDepth: Bool) -> PixelFormat {
        keepsDepth && bitDepth > 8 ? .rgba16 : pixelFormat
    }

    var colorSpace: ColorSpace {
        let icc = unsafe hasColorProfile ? header.profile : cc_bytes()
        return unsafe ColorSpace(profile: icc, primaries: header.primaries, transfer: header.transfer)
    }

    /// Decodes all pixels.
    func decode(options: DecodeOptions) throws(DecodeError) -> Raster {
        let pixelFormat = pixelFormat(keepsDepth: options.keepsDepth)
        let color = unsafe ColorConversion(
            profile: header.profile,
            channels: pixelFormat.channels,
            isWanted: options.convertsToSRGB
        )
        return try unsafe Raster(size: size, format: pixelFormat) { rows throws(DecodeError) in
            try unsafe CodecFailure.check(format) { message in
                unsafe cc_heif_decode(
                    reader,
                    UInt32(pixelFormat.bytesPerPixel),
                    color.transform,
                    rows,
                    message
                )
            }
        }
    }
}

extension PixelFormat {
    /// The channels for a colour profile.
    var channels: cc_channels {
        switch self {
        case .gray8: .gray
        case .rgb8: .rgb
        case .rgba8: .rgba
        case .rgba16: .rgba16
        case .rgbaF16: .rgba_half
        }
    }
}
