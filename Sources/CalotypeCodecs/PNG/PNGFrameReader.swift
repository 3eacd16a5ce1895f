import CCodecs
import CalotypeCore

/// Composites the frames of an APNG in order: owns the C canvas, and the bytes that it reads.
@safe final class PNGFrameReader: FrameReader {
    private let canvas: OpaquePointer
    private let bytes: EncodedBytes
    private let frames: [PNGFrameControl]
    private let size: PixelSize
    private let format: PixelFormat
    private let color: ColorConversion

    /// Creates a transparent canvas for a file whose default image has been decoded, and whose frames have
    /// been validated; its format is that of the file's header, or RGBA.
    init(
        _ bytes: EncodedBytes,
        frames: [PNGFrameControl],
        format: PixelFormat,
        options: DecodeOptions
    ) throws(DecodeError) {
        let file = try unsafe PNGReader(bytes.start)
        let canvas = try unsafe CodecFailure.open(.png) { canvas, _ in
            unsafe cc_png_canvas_open(cc_bytes(bytes.start), UInt32(format.bytesPerPixel), canvas)
        }
        unsafe self.canvas = canvas
        self.bytes = bytes
        self.frames = frames
        size = file.size
        self.format = format
        color = file.colorTransform(for: format, options: options)
    }

    deinit {
        unsafe cc_png_canvas_close(canvas)
    }

    func readFrame(at index: Int) throws(DecodeError) -> Raster {
        var frame = frames[index].drawing(isFirst: index == 0)
        return try unsafe Raster(size: size, format: format) { rows throws(DecodeError) in
            try unsafe CodecFailure.check(.png) { message in
                unsafe cc_png_canvas_draw(canvas, &frame, color.transform, rows, message)
            }
        }
    }

    func move(toKeyFrame index: Int) throws(DecodeError) {
        unsafe cc_png_canvas_reset(canvas)
    }
}

extension PNGFrameControl {
    fileprivate func drawing(isFirst: Bool) -> cc_png_frame {
        cc_png_frame(
            x: UInt32(x),
            y: UInt32(y),
            width: UInt32(size.width),
            height: UInt32(size.height),
            disposal: disposal(isFirst: isFirst),
            is_over: blend == 1 ? 1 : 0,
            offset: end
        )
    }
}
