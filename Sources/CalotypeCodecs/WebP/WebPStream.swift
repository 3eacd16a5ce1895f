import CCodecs
import CalotypeCore

/// A bitstream that is decoded while it arrives: owns the C decoder.
@safe final class WebPStream {
    let bitstream: WebPBitstream
    /// The size that it is decoded at.
    let size: PixelSize
    /// Rows of ``size`` that are made.
    private(set) var rowCount = 0
    /// Whether all of them are.
    private(set) var isWhole = false
    /// How much of the file the decoder has seen.
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

    /// Whether the decoder has seen all of the bitstream, so that no more will come of it.
    var hasSeenAll: Bool { isWhole || fileByteCount >= bitstream.range.upperBound }

    /// How long the file has to be for a call to be worth it.
    ///
    /// Of a lossless bitstream each call reads the codes for all of it again until they are all there, so the
    /// calls are made at doubling lengths until the first row is; what follows is read once, and a sixteenth
    /// is enough.
    var neededByteCount: Int {
        guard !hasSeenAll else { return .max }
        let seen = fileByteCount - bitstream.range.lowerBound
        let readsAgain = bitstream.isLossless && rowCount == 0
        let step = max(4096, readsAgain ? seen : bitstream.range.count / 16)
        return min(fileByteCount + step, bitstream.range.upperBound)
    }

    /// Decodes what has come: `file` is the file from its start, as far as it is there.
    func update(_ file: UnsafeRawBufferPointer) throws(DecodeError) {
        let range = bitstream.range.clamped(to: 0..<file.count)
        var rows: UInt32 = 0
        var isWhole: Int32 = 0
        let failure = unsafe CodecFailure.of { message in
            unsafe cc_webp_stream_update(stream, cc_bytes(file, range), &rows, &isWhole, message)
        }
        if let failure { throw failure.decodeError(.webP) }
        fileByteCount = range.upperBound
        rowCount = Int(rows)
        self.isWhole = isWhole != 0
    }

    /// The rows that are made, above rows of zeros.
    ///
    /// - Throws: `DecodeError` with `outOfMemory`.
    func raster(_ color: borrowing ColorTransform) throws(DecodeError) -> Raster {
        let transform = unsafe color.transform
        let format = bitstream.hasAlpha ? PixelFormat.rgba8 : .rgb8
        return try unsafe Raster(size: size, format: format) { rows throws(DecodeError) in
            let failure = unsafe CodecFailure.of { _ in
                unsafe cc_webp_stream_copy(stream, UInt32(rowCount), transform, rows)
            }
            if let failure { throw failure.decodeError(.webP) }
        }
    }
}
