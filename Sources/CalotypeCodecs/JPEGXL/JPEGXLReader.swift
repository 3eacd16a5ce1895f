import CCodecs
import CalotypeCore
import FoundationEssentials

/// An open JPEG XL image: owns the C reader.
///
/// Each call receives the available codestream from its first byte. If that is too short it throws
/// `truncated`, and may be repeated with more bytes.
@safe struct JPEGXLReader: ~Copyable {
    private let reader: OpaquePointer

    init(_ purpose: cc_jxl_purpose, keepsDepth: Bool = false) throws(DecodeError) {
        let reader = try unsafe CodecFailure.open(.jpegXL) { reader, message in
            unsafe cc_jxl_open(purpose, keepsDepth ? 1 : 0, reader, message)
        }
        unsafe self.reader = reader
    }

    deinit {
        unsafe cc_jxl_close(reader)
    }

    /// Reads up to the first layer; called first, until it succeeds.
    func readHeader(_ bytes: UnsafeRawBufferPointer) throws(DecodeError) -> cc_jxl_header {
        var header = cc_jxl_header()
        try unsafe CodecFailure.check(.jpegXL) { message in
            unsafe cc_jxl_read_header(reader, cc_bytes(bytes), &header, message)
        }
        return header
    }

    /// Creates a reader of pixels according to the options.
    init(_ options: DecodeOptions) throws(DecodeError) {
        try self.init(options.convertsToSRGB ? .srgb_pixels : .pixels, keepsDepth: options.keepsDepth)
    }

    /// Returns the colour space of the pixels, once the header has been read.
    func colorSpace(_ header: cc_jxl_header) -> ColorSpace {
        // Inks are always converted.
        guard header.has_black == 0 else { return .sRGB }
        guard header.pixel_primaries == 0 else {
            return unsafe ColorSpace(
                profile: cc_bytes(),
                primaries: header.pixel_primaries,
                transfer: header.pixel_transfer
            )
        }
        let profile = unsafe cc_jxl_profile(reader)
        guard let start = unsafe profile.bytes else { return .sRGB }
        return unsafe .icc(Data(bytesNoCopy: start, count: profile.count, deallocator: .free))
    }

    /// Decodes the next frame as stored; pass the same rows until it is complete.
    func readFrame(_ bytes: UnsafeRawBufferPointer, into rows: cc_rows) throws(DecodeError) {
        try unsafe CodecFailure.check(.jpegXL) { message in
            unsafe cc_jxl_read_frame(reader, cc_bytes(bytes), rows, message)
        }
    }

    /// Decodes the next frame in the requested colours.
    func readFrame(_ bytes: UnsafeRawBufferPointer, _ header: cc_jxl_header) throws(DecodeError) -> Raster {
        try unsafe Raster(size: header.size, format: header.pixelFormat) { rows throws(DecodeError) in
            try unsafe readFrame(bytes, into: rows)
            try unsafe convert(rows)
        }
    }

    /// Writes a coarse preview of the frame into its rows; false if there is none.
    func show() -> Bool {
        unsafe cc_jxl_show(reader) != 0
    }

    func convert(_ rows: cc_rows) throws(DecodeError) {
        try unsafe CodecFailure.check(.jpegXL) { _ in unsafe cc_jxl_convert(reader, rows) }
    }

    /// Selects the frame that is read next.
    func move(to index: Int) throws(DecodeError) {
        try unsafe CodecFailure.check(.jpegXL) { message in
            unsafe cc_jxl_move(reader, UInt32(index), message)
        }
    }
}

extension cc_jxl_header {
    var size: PixelSize { PixelSize(width: Int(width), height: Int(height)) }

    var pixelFormat: PixelFormat {
        switch bytes_per_pixel {
        case 1: .gray8
        case 3: .rgb8
        case 8: is_float == 0 ? .rgba16 : .rgbaF16
        default: .rgba8
        }
    }

    /// The orientation stated in the codestream.
    var storedOrientation: Orientation { Orientation(rawValue: Int(orientation)) ?? .up }

    /// The number of plays of an animation.
    var loops: LoopCount { loop_count == 0 ? .infinite : .times(Int(loop_count)) }

    /// Returns the duration of a number of ticks, in the header's unit.
    func duration(ticks: UInt32) -> Duration {
        .seconds(Int(tick_seconds)) * Int(ticks) / max(1, Int(tick_count))
    }
}
