/// An error that can report a failed allocation of pixels.
public protocol MemoryFailure: Error {
    /// Returns the error for a failed allocation of this many bytes.
    static func outOfMemory(byteCount: Int) -> Self
}

extension DecodeError: MemoryFailure {
    /// Returns an error with the code `outOfMemory`.
    public static func outOfMemory(byteCount: Int) -> DecodeError {
        outOfMemory(byteCount: byteCount, of: "pixels")
    }

    /// Returns an error with the code `outOfMemory` for bytes of another kind.
    package static func outOfMemory(byteCount: Int, of what: String) -> DecodeError {
        let missing = "not enough memory for \(byteCount) bytes of \(what)"
        return DecodeError(.outOfMemory, detail: "\(missing); \(memoryAdvice)")
    }

    /// The remedy for a lack of memory.
    package static let memoryAdvice =
        "request a smaller image, process fewer at once, or give the process more"
}
