import Synchronization

// Unchecked because the bytes are raw memory; they are written only in the initialiser's closure, before
// anybody else can hold the buffer.
/// The bytes of an image's pixels: row 0 on top, no padding; written once while it is made, never after.
@safe public final class PixelBuffer: @unchecked Sendable {
    /// Bytes in all.
    public let byteCount: Int

    private let memory: PixelMemory

    /// Makes a buffer and lets `fill` write all of it.
    ///
    /// - Parameters:
    ///   - byteCount: Bytes in all; at least 0.
    ///   - fill: Gets memory of `byteCount` bytes, all zero.
    /// - Throws: What `fill` throws; the memory is then freed. Where there is no memory, the error that a
    ///   ``MemoryFailure`` has for it, and ``DecodeError`` where any error may be thrown; otherwise the
    ///   process ends.
    public init<Failure: Error>(
        byteCount: Int,
        filledBy fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        guard let memory = PixelRoom.memory(byteCount) ?? PixelMemory(byteCount: byteCount) else {
            throw Self.outOfMemory(byteCount)
        }
        self.byteCount = byteCount
        self.memory = memory
        memory.clearIfReused(with: Self.filling.load(ordering: .relaxed))
        // All properties are set by now, so where this throws, `deinit` runs and frees the bytes.
        try unsafe fill(memory.bytes)
    }

    private static let filling = Atomic<UInt8>(0)

    /// Sets the value of bytes that no closure has written yet, for tests: pixels that differ under two
    /// values were never written.
    ///
    /// Memory that is mapped holds zeros whatever is set; ``PixelMemory/map(from:)`` says which.
    package static func fill(with value: UInt8) {
        filling.store(value, ordering: .relaxed)
    }

    /// Takes over memory whose bytes nobody will change any more.
    package init(adopting memory: PixelMemory) {
        self.memory = memory
        unsafe byteCount = memory.bytes.count
    }

    /// Leaves the bytes to the process that has given a ``PixelRoom`` for them; they can be read as before.
    ///
    /// - Returns: Where they lie in there; `nil` where they are not left.
    package func handOver() -> Int? { memory.handOver() }

    deinit {
        memory.deallocate()
    }

    private static func outOfMemory<Failure: Error>(_ byteCount: Int) -> Failure {
        let kind = Failure.self as? any MemoryFailure.Type ?? DecodeError.self
        guard let failure = kind.outOfMemory(byteCount: byteCount) as? Failure else {
            preconditionFailure("there is no memory for \(byteCount) bytes of pixels")
        }
        return failure
    }

    /// Calls `body` with the bytes; they are valid until it returns.
    public func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe body(UnsafeRawBufferPointer(memory.bytes))
    }
}
