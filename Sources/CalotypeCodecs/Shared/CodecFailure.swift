import CCodecs
import CalotypeCore
import CalotypeSupport

/// What a call into C reported: its status and its text.
package struct CodecFailure: MemoryFailure {
    let status: cc_status
    /// What the library said; on one line.
    package let text: String

    /// Whether there was no memory.
    package var isOutOfMemory: Bool { status == .out_of_memory }

    /// Whether the library lacks what was asked for, or is not there itself.
    package var isUnsupported: Bool { status == .unsupported }

    /// What C reports where it has no memory.
    package static func outOfMemory(byteCount: Int) -> CodecFailure {
        CodecFailure(status: .out_of_memory, text: "there is no memory for \(byteCount) bytes of pixels")
    }

    /// Calls into C with room for a message; `nil` where all went well.
    static func of(_ call: (UnsafeMutablePointer<cc_message>) -> cc_status) -> CodecFailure? {
        var message = cc_message()
        let status = unsafe call(&message)
        return status == cc_status.ok ? nil : CodecFailure(status: status, text: message.string)
    }

    /// The failure of a decode.
    func decodeError(_ format: ImageFormat) -> DecodeError {
        if status == .stopped { return DecodeError(WorkStop.currentReason ?? .cancelled, format: format) }
        return DecodeError(decodeCode, format: format, detail: detail(or: decodeCode.label))
    }

    /// The failure of an encode.
    func encodeError(_ format: ImageFormat) -> EncodeError {
        let code: EncodeError.Code =
            switch status {
            case .out_of_memory: .outOfMemory
            case .limit_exceeded: .limitExceeded
            case .unsupported: .unsupportedFeature
            default: .codecFailure
            }
        return EncodeError(code, format: format, detail: detail(or: code.label))
    }

    /// What the library said; where it got no memory, what helps.
    private func detail(or label: String) -> String {
        guard isOutOfMemory else { return text.isEmpty ? label : text }
        let said = text.isEmpty ? "the library got no memory for its work" : text
        return "\(said); \(DecodeError.memoryAdvice)"
    }

    private var decodeCode: DecodeError.Code {
        switch status {
        case cc_status.truncated: .truncated
        case cc_status.limit_exceeded: .limitExceeded
        case cc_status.unsupported: .unsupportedFeature
        case cc_status.out_of_memory: .outOfMemory
        default: .corrupt
        }
    }
}

extension cc_message {
    /// The text up to its zero byte.
    fileprivate var string: String {
        unsafe withUnsafeBytes(of: text) { bytes in
            unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }
}
