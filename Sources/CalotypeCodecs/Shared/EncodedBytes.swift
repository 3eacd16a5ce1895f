import CCodecs
import CalotypeCore
import FoundationEssentials

// Unchecked because the bytes are raw memory; they are written only in the initialiser, before anybody else
// can hold the object.
/// The bytes of a file at an address that does not change, for C readers that outlive the call that gave
/// them.
@safe final class EncodedBytes: @unchecked Sendable {
    private let memory: PixelMemory

    /// Has all bytes written.
    ///
    /// - Throws: `DecodeError` with `outOfMemory`.
    init(byteCount: Int, filledBy fill: (UnsafeMutableRawBufferPointer) -> Void) throws(DecodeError) {
        guard let memory = PixelMemory(byteCount: byteCount) else {
            throw .outOfMemory(byteCount: byteCount, of: "the file")
        }
        self.memory = memory
        unsafe fill(memory.bytes)
    }

    /// Copies bytes, pieces one behind the other.
    ///
    /// - Throws: `DecodeError` with `outOfMemory`.
    convenience init(_ pieces: Data...) throws(DecodeError) {
        try self.init(pieces)
    }

    /// Copies bytes, pieces one behind the other.
    ///
    /// - Throws: `DecodeError` with `outOfMemory`.
    convenience init(_ pieces: [Data]) throws(DecodeError) {
        try unsafe self.init(byteCount: pieces.reduce(0) { $0 + $1.count }) { bytes in
            var start = 0
            for piece in pieces {
                let room = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[start..<start + piece.count])
                _ = unsafe piece.copyBytes(to: room)
                start += piece.count
            }
        }
    }

    deinit {
        memory.deallocate()
    }

    var byteCount: Int { unsafe memory.bytes.count }

    /// The bytes as C takes them; valid as long as this object.
    var start: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(memory.bytes) }

    /// The bytes as a value that keeps them and begins at 0; not copied.
    var data: Data {
        guard let start = unsafe memory.bytes.baseAddress else { return Data() }
        return unsafe Data(
            bytesNoCopy: start,
            count: byteCount,
            deallocator: .custom { _, _ in _ = self }
        )
    }
}

extension Data {
    /// The same bytes with others in place of some of them.
    ///
    /// - Parameters:
    ///   - range: Those that are replaced, counted from 0.
    ///   - bytes: As many others.
    /// - Returns: Bytes that begin at 0.
    /// - Throws: `DecodeError` with `outOfMemory`.
    func copy(replacing range: Range<Int>, with bytes: [UInt8]) throws(DecodeError) -> Data {
        try EncodedBytes(prefix(range.lowerBound), Data(bytes), dropFirst(range.upperBound)).data
    }
}
