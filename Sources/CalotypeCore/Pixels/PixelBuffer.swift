import Synchronization

// Unchecked because the bytes are raw memory; they are written only in the initialiser's closure, before any
// other owner can hold the buffer.
/// The bytes of an image's pixels: row 0 on top, no padding; immutable after initialization.
@safe public final class PixelBuffer: @unchecked Sendable {
    /// The total number of bytes.
    public let byteCount: Int

    private let memory: PixelMemory

    /// Creates a buffer and lets `fill` write all of it.
    ///
    /// - Parameters:
    ///   - byteCount: The total number of bytes; at least 0.
    ///   - fill: Receives memory of `byteCount` zero bytes.
    /// - Throws: The error of `fill`, after freeing the memory. If the allocation fails: the
    ///   ``MemoryFailure`` error of the type `Failure`, ``DecodeError`` for `any Error`; for any other type
    ///   the process ends.
    public init<Failure: Error>(
        byteCount: Int,
        filledBy fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        guard let memory = PixelArena.memory(byteCount) ?? PixelMemory(byteCount: byteCount) else {
            throw Self.outOfMemory(byteCount)
        }
        self.byteCount = byteCount
        self.memory = memory
        memory.clearIfReused(with: Self.filling.load(ordering: .relaxed))
        // All properties are set, so if this throws, `deinit` runs and frees the bytes.
        try unsafe fill(memory.bytes)
    }

    private static let filling = Atomic<UInt8>(0)

    /// Sets the initial value of bytes for tests: pixels that differ under two values were never written.
    ///
    /// Mapped memory always holds zeros; ``PixelMemory/map(from:)`` sets the size from which memory is
    /// mapped.
    package static func fill(with value: UInt8) {
        filling.store(value, ordering: .relaxed)
    }

    /// Takes over memory that is not modified any more.
    package init(adopting memory: PixelMemory) {
        self.memory = memory
        unsafe byteCount = memory.bytes.count
    }

    /// Hands the bytes to the process that provided the ``PixelArena``; they stay readable here.
    ///
    /// - Returns: Their offset in the room; `nil` if they are not handed over.
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

    /// Calls `body` with the bytes, which are valid until it returns.
    public func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe body(UnsafeRawBufferPointer(memory.bytes))
    }
}
