import CCodecs
import CalotypeCore
import CalotypeSupport

/// The status and the message of a failed call into C.
package struct CodecFailure: MemoryFailure {
    let status: cc_status
    /// The message of the library, on one line.
    package let text: String

    /// True if memory allocation failed.
    package var isOutOfMemory: Bool { status == .out_of_memory }

    /// True if the library lacks the feature, or is missing itself.
    package var isUnsupported: Bool { status == .unsupported }

    /// Creates the failure that C reports for a lack of memory.
    package static func outOfMemory(byteCount: Int) -> CodecFailure {
        CodecFailure(status: .out_of_memory, text: "not enough memory for \(byteCount) bytes of pixels")
    }

    /// A call into C that may write a message.
    typealias Call = (UnsafeMutablePointer<cc_message>) -> cc_status

    /// A call into C that creates an object.
    typealias Opening =
        (UnsafeMutablePointer<OpaquePointer?>, UnsafeMutablePointer<cc_message>) -> cc_status

    /// Calls into C with a message buffer; returns `nil` on success.
    static func of(_ call: Call) -> CodecFailure? {
        var message = cc_message()
        let status = unsafe call(&message)
        return status == cc_status.ok ? nil : CodecFailure(status: status, text: message.string)
    }

    /// Calls into C.
    static func check(_ call: Call) throws(CodecFailure) {
        if let failure = unsafe of(call) { throw failure }
    }

    /// Calls into C for an encode.
    static func check(encoding format: ImageFormat, _ call: Call) throws(EncodeError) {
        if let failure = unsafe of(call) { throw failure.encodeError(format) }
    }

    /// Calls into C for a decode.
    static func check(_ format: ImageFormat, _ call: Call) throws(DecodeError) {
        if let failure = unsafe of(call) { throw failure.decodeError(format) }
    }

    /// Returns the object that a call into C creates.
    static func open(_ call: Opening) throws(CodecFailure) -> OpaquePointer {
        var object: OpaquePointer?
        try unsafe check { message in unsafe call(&object, message) }
        guard let object = unsafe object else { throw CodecFailure(status: .failure, text: "") }
        return unsafe object
    }

    /// Returns the reader that a call into C opens.
    static func open(_ format: ImageFormat, _ call: Opening) throws(DecodeError) -> OpaquePointer {
        do throws(CodecFailure) {
            return try unsafe open(call)
        } catch {
            throw error.decodeError(format)
        }
    }

    /// Returns the writer that a call into C opens.
    static func open(encoding format: ImageFormat, _ call: Opening) throws(EncodeError) -> OpaquePointer {
        do throws(CodecFailure) {
            return try unsafe open(call)
        } catch {
            throw error.encodeError(format)
        }
    }

    func decodeError(_ format: ImageFormat) -> DecodeError {
        if status == .stopped { return DecodeError(WorkStop.currentReason ?? .cancelled, format: format) }
        return DecodeError(decodeCode, format: format, detail: detail(or: decodeCode.label))
    }

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

    /// The message of the library, with advice for a lack of memory.
    private func detail(or label: String) -> String {
        guard isOutOfMemory else { return text.isEmpty ? label : text }
        let said = text.isEmpty ? "the library could not allocate memory" : text
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
