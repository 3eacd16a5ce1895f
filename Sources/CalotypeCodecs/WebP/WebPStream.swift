import CCodecs
import CalotypeCore

/// A bitstream that is decoded while it arrives: owns the C decoder.
@safe final class WebPStream {
    let bitstream: WebPBitstream
    /// The decode size.
    let size: PixelSize
    private(set) var rowCount = 0
    /// True if all rows are decoded.
    private(set) var isWhole = false
    /// The number of file bytes that the decoder has read.
    private(set) var fileByteCount: Int

    private let stream: OpaquePointer

    init(_ bitstream: WebPBitstream, size: PixelSize) throws(DecodeError) {
        var stream: OpaquePointer?
        let format: PixelFormat = bitstream.hasAlpha ? .rgba8 : .rgb8
        var decoding = unsafe cc_webp_decoding(size, format, color: nil)
        let status = unsafe cc_webp_stream_open(
            UInt32(bitstream.size.width),
            UInt32(bitstream.size.height),
            &decoding,
            &stream
        )
        guard status == .ok, let stream = unsafe stream else {
            throw CodecFailure(status: status, text: "").decodeError(.webP)
        }
        unsafe self.stream = stream
        self.bitstream = bitstream
        self.size = size
        fileByteCount = bitstream.range.lowerBound
    }

    deinit {
        unsafe cc_webp_stream_close(stream)
    }

    /// True if the decoder has read the whole bitstream, so that it produces no more rows.
    var hasSeenAll: Bool { isWhole || fileByteCount >= bitstream.range.upperBound }

    /// The file size at which the next call is worthwhile.
    ///
    /// For a lossless bitstream each call reads all codes again until they are complete. Calls are therefore
    /// made at doubling lengths until the first row is decoded; later bytes are read once, in steps of a
    /// sixteenth.
    var neededByteCount: Int {
        guard !hasSeenAll else { return .max }
        let seen = fileByteCount - bitstream.range.lowerBound
        let readsAgain = bitstream.isLossless && rowCount == 0
        let step = max(4096, readsAgain ? seen : bitstream.range.count / 16)
        return min(fileByteCount + step, bitstream.range.upperBound)
    }

    /// Decodes the available bytes; `file` starts at the beginning of the file.
    func update(_ file: UnsafeRawBufferPointer) throws(DecodeError) {
        let range = bitstream.range.clamped(to: 0..<file.count)
        var rows: UInt32 = 0
        var isWhole: Int32 = 0
        try unsafe CodecFailure.check(.webP) { message in
            unsafe cc_webp_stream_update(stream, cc_bytes(file, range), &rows, &isWhole, message)
        }
        fileByteCount = range.upperBound
        rowCount = Int(rows)
        self.isWhole = isWhole != 0
    }

    /// Returns the decoded rows, followed by rows of zeros.
    ///
    /// - Throws: `DecodeError` with `outOfMemory`.
    func raster(_ color: borrowing ColorConversion) throws(DecodeError) -> Raster {
        let transform = unsafe color.transform
        let format = bitstream.hasAlpha ? PixelFormat.rgba8 : .rgb8
        return try unsafe Raster(size: size, format: format) { rows throws(DecodeError) in
            try unsafe CodecFailure.check(.webP) { _ in
                unsafe cc_webp_stream_copy(stream, UInt32(rowCount), transform, rows)
            }
        }
    }
}
