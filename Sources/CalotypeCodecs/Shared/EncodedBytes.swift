import CCodecs
import CalotypeCore
import FoundationEssentials

// Unchecked because the bytes are raw memory; they are written only in the initialiser, before anybody else
// can hold the object.
/// The bytes of a file at an address that does not change, for C readers that outlive the call that gave
/// them.
@safe final class EncodedBytes: @unchecked Sendable {
    private let memory: PixelMemory

    /// Copies the bytes.
    ///
    /// - Throws: `DecodeError` with `outOfMemory`.
    init(_ data: Data) throws(DecodeError) {
        guard let memory = PixelMemory(byteCount: data.count) else {
            throw DecodeError(.outOfMemory, detail: "there is no memory for \(data.count) bytes of the file")
        }
        _ = unsafe data.copyBytes(to: memory.bytes)
        self.memory = memory
    }

    deinit {
        memory.deallocate()
    }

    var byteCount: Int { unsafe memory.bytes.count }

    /// The bytes as C takes them; valid as long as this object.
    var start: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(memory.bytes) }

    /// The bytes as a value that keeps them; not copied.
    var data: Data {
        guard let start = unsafe memory.bytes.baseAddress else { return Data() }
        return unsafe Data(
            bytesNoCopy: start,
            count: byteCount,
            deallocator: .custom { _, _ in _ = self }
        )
    }
}
