/// An error that can say that there is no memory for pixels.
public protocol MemoryFailure: Error {
    /// The error where there was no memory for so many bytes.
    static func outOfMemory(byteCount: Int) -> Self
}

extension DecodeError: MemoryFailure {
    /// An error with the code `outOfMemory`.
    public static func outOfMemory(byteCount: Int) -> DecodeError {
        outOfMemory(byteCount: byteCount, of: "pixels")
    }

    /// An error with the code `outOfMemory`, for bytes of something else.
    package static func outOfMemory(byteCount: Int, of what: String) -> DecodeError {
        let missing = "there is no memory for \(byteCount) bytes of \(what)"
        return DecodeError(.outOfMemory, detail: "\(missing); \(memoryAdvice)")
    }

    /// What helps where there is no memory.
    package static let memoryAdvice =
        "ask for a smaller image, work on fewer at once, or give the process more"
}
