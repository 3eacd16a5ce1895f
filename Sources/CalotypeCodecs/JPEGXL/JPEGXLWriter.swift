import CCodecs
import CalotypeCore
import FoundationEssentials

/// A JPEG XL file under construction: owns the C writer.
@safe struct JPEGXLWriter: ~Copyable {
    private let writer: OpaquePointer

    /// Starts a file whose frames have the pixel format and the colours of an image.
    init(_ encoding: cc_jxl_encoding, like image: Image) throws(CodecFailure) {
        var writer: OpaquePointer?
        var encoding = encoding
        let failure = unsafe image.withPixels { pixels in
            unsafe CodecFailure.of { message in unsafe cc_jxl_begin(&encoding, pixels, &writer, message) }
        }
        guard failure == nil, let writer = unsafe writer else {
            throw failure ?? CodecFailure(status: cc_status.failure, text: "")
        }
        unsafe self.writer = writer
    }

    deinit {
        unsafe cc_jxl_abandon(writer)
    }

    func write(_ image: Image, for duration: Duration, isLast: Bool) throws(CodecFailure) {
        let failure = unsafe image.withPixels { pixels in
            unsafe CodecFailure.of { message in
                unsafe cc_jxl_write_frame(writer, pixels, duration.microseconds, isLast ? 1 : 0, message)
            }
        }
        if let failure { throw failure }
    }

    /// Returns the bytes, after the last frame.
    func finish() -> Data {
        var output = unsafe cc_output()
        unsafe cc_jxl_finish(writer, &output)
        return unsafe output.takenData()
    }
}

extension Duration {
    /// The duration in microseconds, rounded; at least 1, since 0 would merge a frame with the next.
    fileprivate var microseconds: UInt32 {
        let (seconds, attoseconds) = components
        let whole = seconds.multipliedReportingOverflow(by: 1_000_000)
        let sum = whole.partialValue.addingReportingOverflow(
            (attoseconds + 500_000_000_000) / 1_000_000_000_000
        )
        return whole.overflow || sum.overflow ? .max : max(1, UInt32(clamping: sum.partialValue))
    }
}
