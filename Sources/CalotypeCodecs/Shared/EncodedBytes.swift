import CCodecs
import CalotypeCore
import FoundationEssentials

// Unchecked because the bytes are raw memory; they are written only in the initialiser, before any other
// owner can hold the object.
/// The bytes of a file at a stable address, for C readers that outlive the call that received them.
@safe final class EncodedBytes: @unchecked Sendable {
    private let memory: PixelMemory

    /// Allocates memory and lets a closure write all of it.
    ///
    /// - Throws: `DecodeError` with `outOfMemory`.
    init(byteCount: Int, filledBy fill: (UnsafeMutableRawBufferPointer) -> Void) throws(DecodeError) {
        guard let memory = PixelMemory(byteCount: byteCount) else {
            throw .outOfMemory(byteCount: byteCount, of: "the file")
        }
        self.memory = memory
        unsafe fill(memory.bytes)
    }

    /// Copies and concatenates bytes.
    ///
    /// - Throws: `DecodeError` with `outOfMemory`.
    convenience init(_ pieces: Data...) throws(DecodeError) {
        try self.init(pieces)
    }

    /// Copies and concatenates bytes.
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

    /// The bytes as C receives them; valid as long as this object.
    var start: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(memory.bytes) }

    /// The bytes as a `Data` that retains them and starts at index 0; not copied.
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
    /// Returns a copy in which some bytes are replaced.
    ///
    /// - Parameters:
    ///   - range: The range to replace, counted from 0.
    ///   - bytes: The same number of new bytes.
    /// - Returns: Bytes that start at index 0.
    /// - Throws: `DecodeError` with `outOfMemory`.
    func copy(replacing range: Range<Int>, with bytes: [UInt8]) throws(DecodeError) -> Data {
        try EncodedBytes(prefix(range.lowerBound), Data(bytes), dropFirst(range.upperBound)).data
    }
}
