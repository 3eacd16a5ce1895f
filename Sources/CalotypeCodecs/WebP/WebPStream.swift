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
    /// Bytes of the bitstream that the decoder has seen.
    private(set) var byteCount = 0

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
    }

    deinit {
        unsafe cc_webp_stream_close(stream)
    }

    /// Decodes what has come.
    ///
    /// - Parameter file: The file from its start, as far as it is there.
    func update(_ file: UnsafeRawBufferPointer) throws(DecodeError) {
        guard !isWhole else { return }
        let range = bitstream.range.clamped(to: 0..<file.count)
        var rows: UInt32 = 0
        var isWhole: Int32 = 0
        let failure = unsafe CodecFailure.of { message in
            unsafe cc_webp_stream_update(stream, cc_bytes(file, range), &rows, &isWhole, message)
        }
        if let failure { throw failure.decodeError(.webP) }
        byteCount = range.count
        rowCount = Int(rows)
        self.isWhole = isWhole != 0
    }

    /// The rows that are made, above rows of zeros.
    func raster(_ color: borrowing ColorTransform) -> Raster {
        let transform = unsafe color.transform
        return unsafe Raster(size: size, format: bitstream.hasAlpha ? .rgba8 : .rgb8) { rows in
            unsafe cc_webp_stream_copy(stream, UInt32(rowCount), transform, rows)
        }
    }
}
