import CCodecs
import CalotypeCore
import FoundationEssentials

/// An AVIF file under construction: owns the C writer.
@safe struct AVIFWriter: ~Copyable {
    private let writer: OpaquePointer

    init(_ encoding: cc_avif_encoding) throws(EncodeError) {
        var encoding = encoding
        var writer: OpaquePointer?
        let failure = unsafe CodecFailure.of { message in
            unsafe cc_avif_writer_open(&encoding, &writer, message)
        }
        guard failure == nil, let writer = unsafe writer else {
            throw Self.error(failure ?? CodecFailure(status: cc_status.failure, text: ""))
        }
        unsafe self.writer = writer
    }

    deinit {
        unsafe cc_avif_writer_close(writer)
    }

    /// Adds a frame; the first one includes the Exif block unless it is empty.
    ///
    /// Durations are whole milliseconds.
    func add(_ image: Image, with blocks: MetadataBlocks, duration: Duration) throws(EncodeError) {
        let (seconds, attoseconds) = duration.components
        let milliseconds = UInt64(seconds) * 1000 + UInt64(attoseconds) / 1_000_000_000_000_000
        let failure = unsafe image.withPixels(blocks) { pixels in
            unsafe CodecFailure.of { message in
                unsafe cc_avif_writer_add(writer, pixels, milliseconds, message)
            }
        }
        if let failure { throw Self.error(failure) }
    }

    /// Returns the file; `nil` if it exceeds the given limit.
    func finish(isLimited: Bool) throws(EncodeError) -> Data? {
        var output = unsafe cc_output()
        let failure = unsafe CodecFailure.of { message in
            unsafe cc_avif_writer_finish(writer, &output, message)
        }
        if let failure {
            guard isLimited, failure.status == cc_status.limit_exceeded else { throw Self.error(failure) }
            return nil
        }
        return unsafe output.takenData()
    }

    private static func error(_ failure: CodecFailure) -> EncodeError {
        guard failure.status == cc_status.unsupported else { return failure.encodeError(.avif) }
        return EncodeError(.unsupportedFeature, format: .avif, detail: failure.text)
    }
}
