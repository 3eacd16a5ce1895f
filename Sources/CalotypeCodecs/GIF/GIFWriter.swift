import CCodecs
import CalotypeCore
import FoundationEssentials

/// A GIF file under construction: owns the C writer.
@safe struct GIFWriter: ~Copyable {
    private let writer: OpaquePointer

    /// Writes the header.
    ///
    /// The palette, 0xAARRGGBB, is for frames without their own and may be empty; the loop count is `nil` for
    /// a still; a result larger than `maxByteCount` is an error.
    init(
        _ size: PixelSize,
        palette: [UInt32],
        loopCount: LoopCount?,
        maxByteCount: UInt64
    ) throws(EncodeError) {
        let colors = Self.bytes(palette)
        var screen = unsafe cc_gif_screen(
            width: UInt32(size.width),
            height: UInt32(size.height),
            palette: cc_bytes(),
            loop_count: Self.stated(loopCount),
            byte_count_max: maxByteCount
        )
        let writer = try unsafe CodecFailure.open(encoding: .gif) { writer, message in
            unsafe colors.withUnsafeBytes { colors in
                unsafe screen.palette = cc_bytes(colors)
                return unsafe cc_gif_open(&screen, writer, message)
            }
        }
        unsafe self.writer = writer
    }

    deinit {
        unsafe cc_gif_close(writer)
    }

    /// Returns the stored number of repetitions; a file without one plays once.
    private static func stated(_ loopCount: LoopCount?) -> Int32 {
        switch loopCount {
        case .infinite: 0
        case .times(let count) where count > 1: Int32(UInt32(count - 1, orEndlessBeyond: 0xFFFF))
        case .times, nil: -1
        }
    }

    private static func bytes(_ palette: [UInt32]) -> [UInt8] {
        palette.flatMap { color in [16, 8, 0].map { UInt8(truncatingIfNeeded: color >> $0) } }
    }

    /// Writes a frame, with its own palette or that of the file.
    func add(
        _ pixels: IndexedPixels,
        of frame: GIFPlannedFrame,
        hasOwnPalette: Bool
    ) throws(EncodeError) {
        let palette = hasOwnPalette ? Self.bytes(pixels.palette) : []
        let rect = frame.rect
        try unsafe CodecFailure.check(encoding: .gif) { message in
            unsafe pixels.indexes.withUnsafeBufferPointer { indexes in
                unsafe palette.withUnsafeBytes { colors in
                    var image = unsafe cc_gif_image(
                        indexes: indexes.baseAddress,
                        palette: cc_bytes(colors),
                        left: UInt32(rect.left),
                        top: UInt32(rect.top),
                        width: UInt32(rect.width),
                        height: UInt32(rect.height),
                        transparent_index: Int32(pixels.transparentIndex ?? -1),
                        disposal: Int32(frame.disposal.rawValue),
                        delay: UInt32(frame.delay)
                    )
                    return unsafe cc_gif_add(writer, &image, message)
                }
            }
        }
    }

    /// Writes the end and returns the bytes; call it once, last.
    func finish() throws(EncodeError) -> Data {
        var output = unsafe cc_output()
        try unsafe CodecFailure.check(encoding: .gif) { message in
            unsafe cc_gif_finish(writer, &output, message)
        }
        return unsafe output.takenData()
    }
}
