import CCodecs
import CalotypeCore

/// The canvas of a GIF animation, on which its frames are drawn in order.
///
/// Holds one canvas, and a copy of the area under a frame that has to be restored.
@safe final class GIFCanvas: FrameReader {
    private let layout: GIFLayout
    private let format: PixelFormat
    private let bytes: EncodedBytes
    private let first: DecodedCanvas?
    private let memory: PixelMemory
    /// The shown frame; it is disposed of before the next is drawn.
    private var shown: GIFFrame?
    /// The pixels under the shown frame, row by row, if they have to be restored.
    private var covered: PixelBuffer?

    /// Creates an empty canvas.
    ///
    /// - Parameters:
    ///   - layout: The parsed blocks of the file.
    ///   - bytes: The file.
    ///   - first: The canvas after the first frame, if it has been decoded.
    /// - Throws: `DecodeError` with `outOfMemory`.
    init(_ layout: GIFLayout, bytes: EncodedBytes, first: DecodedCanvas? = nil) throws(DecodeError) {
        self.layout = layout
        self.bytes = bytes
        self.first = first
        format = layout.pixelFormat
        let byteCount = layout.size.pixelCount * format.bytesPerPixel
        guard let memory = PixelMemory(byteCount: byteCount) else { throw .outOfMemory(byteCount: byteCount) }
        memory.clear()
        self.memory = memory
    }

    deinit {
        memory.deallocate()
    }

    private var pixels: UnsafeMutableRawBufferPointer { unsafe memory.bytes }

    func readFrame(at index: Int) throws(DecodeError) -> Raster {
        let frame = layout.frames[index]
        disposeOfShown()
        if frame.disposal == .previous { covered = try copy(of: visible(frame)) }
        if index == 0, let raster = first?.raster {
            unsafe raster.pixels.withUnsafeBytes { unsafe pixels.copyMemory(from: $0) }
            shown = frame
            return raster
        }
        let canvas = unsafe cc_gif_canvas(pixels, layout.size, format)
        try unsafe frame.draw(from: bytes.start, on: canvas)
        shown = frame
        return try unsafe Raster(size: layout.size, format: format) { rows throws(DecodeError) in
            let target = unsafe UnsafeMutableRawBufferPointer(start: rows.bytes, count: pixels.count)
            unsafe target.copyMemory(from: UnsafeRawBufferPointer(pixels))
        }
    }

    /// The canvas before a key frame is not visible.
    func move(toKeyFrame index: Int) throws(DecodeError) {
        memory.clear()
        shown = nil
        covered = nil
    }

    private func disposeOfShown() {
        guard let frame = shown else { return }
        switch frame.disposal {
        case .unspecified, .keep:
            break
        case .background:
            let color = layout.colorLeft(by: frame)
            fill(visible(frame), with: color.map { [$0.red, $0.green, $0.blue, 255] } ?? [0, 0, 0, 0])
        case .previous:
            unsafe covered?.withUnsafeBytes { source in
                unsafe forEachRow(of: visible(frame)) { row, index in
                    let part = index * row.count..<(index + 1) * row.count
                    unsafe row.copyMemory(from: UnsafeRawBufferPointer(rebasing: source[part]))
                }
            }
            covered = nil
        }
        shown = nil
    }

    /// Sets all pixels of a rectangle to one value: fills the first row and copies it to the others.
    private func fill(_ rect: GIFRect, with pixel: [UInt8]) {
        let step = format.bytesPerPixel
        var first: UnsafeRawBufferPointer?
        unsafe forEachRow(of: rect) { row, _ in
            if let first = unsafe first { return unsafe row.copyMemory(from: first) }
            for index in row.indices { unsafe row[index] = pixel[index % step] }
            unsafe first = UnsafeRawBufferPointer(row)
        }
    }

    private func visible(_ frame: GIFFrame) -> GIFRect { frame.rect.intersection(layout.bounds) }

    private func copy(of rect: GIFRect) throws(DecodeError) -> PixelBuffer {
        let rowByteCount = rect.width * format.bytesPerPixel
        let byteCount = rowByteCount * rect.height
        return try unsafe PixelBuffer(byteCount: byteCount) { target throws(DecodeError) in
            unsafe forEachRow(of: rect) { row, index in
                let part = unsafe target[index * rowByteCount..<(index + 1) * rowByteCount]
                let kept = unsafe UnsafeMutableRawBufferPointer(rebasing: part)
                unsafe kept.copyMemory(from: UnsafeRawBufferPointer(row))
            }
        }
    }

    /// Calls `body` with the bytes of each row of a rectangle on the canvas, and its index in the rectangle.
    private func forEachRow(of rect: GIFRect, _ body: (UnsafeMutableRawBufferPointer, Int) -> Void) {
        guard !rect.isEmpty else { return }
        let step = format.bytesPerPixel
        for index in 0..<rect.height {
            let start = ((rect.top + index) * layout.size.width + rect.left) * step
            let end = start + rect.width * step
            unsafe body(UnsafeMutableRawBufferPointer(rebasing: pixels[start..<end]), index)
        }
    }
}

extension GIFFrame {
    /// Draws the frame on a canvas, from the bytes of the file.
    func draw(from file: UnsafeRawBufferPointer, on canvas: cc_gif_canvas) throws(DecodeError) {
        guard !rect.isEmpty else { return }
        var frame = unsafe cc_gif_frame(
            codes: cc_bytes(UnsafeRawBufferPointer(rebasing: file[codes])),
            palette: cc_bytes(UnsafeRawBufferPointer(rebasing: file[palette])),
            left: UInt32(rect.left),
            top: UInt32(rect.top),
            width: UInt32(rect.width),
            height: UInt32(rect.height),
            is_interlaced: isInterlaced ? 1 : 0,
            transparent_index: Int32(transparentIndex ?? -1)
        )
        var canvas = unsafe canvas
        try unsafe CodecFailure.check(.gif) { message in unsafe cc_gif_draw(&frame, &canvas, message) }
    }
}

extension GIFLayout {
    func firstCanvas(_ file: UnsafeRawBufferPointer) throws(DecodeError) -> Raster {
        let format = pixelFormat
        let byteCount = size.pixelCount * format.bytesPerPixel
        return try unsafe Raster(size: size, format: format) { rows throws(DecodeError) in
            let pixels = unsafe UnsafeMutableRawBufferPointer(start: rows.bytes, count: byteCount)
            unsafe pixels.initializeMemory(as: UInt8.self, repeating: 0)
            try unsafe frames[0].draw(from: file, on: cc_gif_canvas(pixels, size, format))
        }
    }
}

extension cc_gif_canvas {
    /// A canvas without padding; the bytes must outlive its use.
    fileprivate init(_ bytes: UnsafeMutableRawBufferPointer, _ size: PixelSize, _ format: PixelFormat) {
        unsafe self.init(
            rows: cc_rows(
                bytes: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self),
                row_byte_count: size.width * format.bytesPerPixel,
                row_count: UInt32(size.height)
            ),
            width: UInt32(size.width),
            bytes_per_pixel: UInt32(format.bytesPerPixel)
        )
    }
}
