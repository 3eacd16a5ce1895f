import CCodecs
import CalotypeCore

/// An open AVIF image or sequence: owns the C reader, over bytes that must outlive it.
@safe struct AVIFReader: ~Copyable {
    private let reader: OpaquePointer
    private let header: cc_avif_header
    /// The number of frames, unless the limits truncate the animation.
    let frameCount: Int

    init(_ bytes: UnsafeRawBufferPointer, limits: DecodeLimits) throws(DecodeError) {
        var header = unsafe cc_avif_header()
        var allowed = cc_avif_limits(
            pixel_count_max: UInt64(limits.maxPixelCount),
            frame_count_max: UInt64(limits.maxListedFrameCount)
        )
        let reader = try unsafe CodecFailure.open(.avif) { reader, message in
            unsafe cc_avif_open(cc_bytes(bytes), &allowed, reader, &header, message)
        }
        unsafe self.reader = reader
        unsafe self.header = header
        let size = unsafe PixelSize(width: Int(header.width), height: Int(header.height))
        frameCount = unsafe min(Int(header.frame_count), limits.maxReadFrameCount(of: size))
    }

    deinit {
        unsafe cc_avif_close(reader)
    }

    /// Checks the header against the limits.
    func check(_ limits: DecodeLimits) throws(DecodeError) {
        try limits.checkSize(storedSize, frameCount: frameCount, format: .avif)
    }

    /// Width and height after all transformations.
    var size: PixelSize { orientation.applied(to: cropSize) }

    var isSequence: Bool { unsafe header.is_sequence != 0 }

    var hasAlpha: Bool { unsafe header.has_alpha != 0 }

    var hasColorProfile: Bool { unsafe header.has_profile != 0 }

    var bitDepth: Int { unsafe Int(header.bit_depth) }

    var dynamicRange: DynamicRange { unsafe DynamicRange(transfer: header.transfer) }

    var pixelFormat: PixelFormat {
        switch unsafe header.bytes_per_pixel {
        case 1: .gray8
        case 3: .rgb8
        default: .rgba8
        }
    }

    var colorSpace: ColorSpace {
        let icc = unsafe hasColorProfile ? header.profile : cc_bytes()
        return unsafe ColorSpace(profile: icc, primaries: header.primaries, transfer: header.transfer)
    }

    /// Returns the format of the decoded pixels, with or without depth.
    func pixelFormat(keepsDepth: Bool) -> PixelFormat {
        keepsDepth && bitDepth > 8 ? .rgba16 : pixelFormat
    }

    /// The frames from which decoding can start.
    var keyFrames: [Int] {
        (0..<frameCount).filter { unsafe $0 == 0 || cc_avif_is_key_frame(reader, UInt32($0)) != 0 }
    }

    /// Returns the transform from the file's colours to sRGB.
    func colorTransform(_ options: DecodeOptions) -> ColorConversion {
        unsafe ColorConversion(
            profile: header.profile,
            channels: pixelFormat(keepsDepth: options.keepsDepth).channels,
            isWanted: options.convertsToSRGB
        )
    }

    /// Decodes a frame and applies the transformations of the file: the clean aperture, then the rotation,
    /// then the mirror (ISO/IEC 23000-22 section 7.3.6.7).
    func decode(
        frame index: Int,
        keepsDepth: Bool,
        color: borrowing ColorConversion
    ) throws(DecodeError) -> Raster {
        let transform = unsafe color.transform
        let format = pixelFormat(keepsDepth: keepsDepth)
        let stored = try unsafe Raster(size: storedSize, format: format) { rows throws(DecodeError) in
            try unsafe CodecFailure.check(.avif) { message in
                unsafe cc_avif_decode(
                    reader,
                    UInt32(index),
                    format.isDeep ? 1 : 0,
                    transform,
                    rows,
                    message
                )
            }
        }
        let (x, y) = unsafe (Int(header.crop_x), Int(header.crop_y))
        return try stored.cropped(x: x, y: y, to: cropSize).upright(from: orientation)
    }

    private var storedSize: PixelSize {
        unsafe PixelSize(width: Int(header.width), height: Int(header.height))
    }

    private var cropSize: PixelSize {
        unsafe PixelSize(width: Int(header.crop_width), height: Int(header.crop_height))
    }

    /// The rotation and the mirror combined.
    private var orientation: Orientation {
        let turns: [[Orientation]] = [
            [.up, .downMirrored, .upMirrored],
            [.left, .leftMirrored, .rightMirrored],
            [.down, .upMirrored, .downMirrored],
            [.right, .rightMirrored, .leftMirrored],
        ]
        return unsafe turns[Int(header.quarter_turns)][Int(header.mirror)]
    }
}
