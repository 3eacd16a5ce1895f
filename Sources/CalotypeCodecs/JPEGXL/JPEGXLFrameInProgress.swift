import CCodecs
import CalotypeCore

/// The first frame of a file while its bytes arrive: the reader, and the rows that it writes.
@safe final class JPEGXLFrameInProgress {
    let header: cc_jxl_header
    private(set) var isWhole = false
    /// True once ``shown()`` has returned the complete frame.
    private(set) var isPreviewedWhole = false

    let reader: JPEGXLReader
    private let memory: PixelMemory
    private var isHeaderRead = false

    /// Allocates the frame, whose size is within the limits.
    init(_ header: cc_jxl_header, options: DecodeOptions) throws(DecodeError) {
        self.header = header
        reader = try JPEGXLReader(options)
        let byteCount = header.size.pixelCount * header.pixelFormat.bytesPerPixel
        guard let memory = PixelMemory(byteCount: byteCount) else { throw .outOfMemory(byteCount: byteCount) }
        memory.clear()
        self.memory = memory
    }

    deinit {
        memory.deallocate()
    }

    private var pixels: UnsafeMutableRawBufferPointer { unsafe memory.bytes }

    /// Decodes the available bytes.
    ///
    /// - Throws: `DecodeError`, with `truncated` if more bytes are needed.
    func read(_ bytes: UnsafeRawBufferPointer) throws(DecodeError) {
        guard !isWhole else { return }
        if !isHeaderRead {
            _ = try unsafe reader.readHeader(bytes)
            isHeaderRead = true
        }
        try unsafe reader.readFrame(bytes, into: rows)
        isWhole = true
    }

    /// Returns all rows, coarse or complete; `nil` if nothing can be shown yet.
    func shown() throws(DecodeError) -> Raster? {
        guard isWhole || reader.show() else { return nil }
        isPreviewedWhole = isWhole
        return try raster()
    }

    /// Returns the current pixels, in the requested colours.
    func raster() throws(DecodeError) -> Raster {
        try unsafe Raster(size: header.size, format: header.pixelFormat) { rows throws(DecodeError) in
            unsafe rows.bytes?.update(from: self.rows.bytes, count: pixels.count)
            try unsafe reader.convert(rows)
        }
    }

    private var rows: cc_rows {
        unsafe cc_rows(
            bytes: pixels.baseAddress?.assumingMemoryBound(to: UInt8.self),
            row_byte_count: header.size.width * header.pixelFormat.bytesPerPixel,
            row_count: UInt32(header.size.height)
        )
    }
}
