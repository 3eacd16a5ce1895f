import CCodecs

extension cc_bytes {
    /// Bytes as C takes them; they must outlive what is made from them.
    init(_ bytes: UnsafeRawBufferPointer) {
        unsafe self.init(start: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), count: bytes.count)
    }
}
