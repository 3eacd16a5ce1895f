import CCodecs
import FoundationEssentials

// Unchecked because the bytes are raw memory; they are written only in the initialiser, before anybody else
// can hold the object.
/// The bytes of a file at an address that does not change, for C readers that outlive the call that gave
/// them.
@safe final class EncodedBytes: @unchecked Sendable {
    private let bytes: UnsafeMutableRawBufferPointer

    /// Copies the bytes.
    init(_ data: Data) {
        unsafe bytes = .allocate(byteCount: max(1, data.count), alignment: 16)
        _ = unsafe data.copyBytes(to: bytes)
        byteCount = data.count
    }

    deinit {
        unsafe bytes.deallocate()
    }

    let byteCount: Int

    /// The bytes as C takes them; valid as long as this object.
    var start: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(rebasing: bytes.prefix(byteCount)) }
}
