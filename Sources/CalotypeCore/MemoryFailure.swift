/// An error that can say that there is no memory for pixels.
public protocol MemoryFailure: Error {
    /// The error where there was no memory for so many bytes.
    static func outOfMemory(byteCount: Int) -> Self
}

extension DecodeError: MemoryFailure {
    /// An error with the code `outOfMemory`.
    public static func outOfMemory(byteCount: Int) -> DecodeError {
        DecodeError(.outOfMemory, detail: "there is no memory for \(byteCount) bytes of pixels")
    }
}
