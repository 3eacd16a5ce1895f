import CalotypeCore
import CalotypeSupport

/// The memory for pixels that a worker has from its program, which sees it too: what a decoder writes there
/// needs no copy.
// The pieces are reached by the one thread that does the jobs, and by those of libraries that free an image.
@safe final class SharedPieces: PixelMemorySource {
    struct Piece {
        let number: Int
        /// Whether an answer names it, so that the program has it and not this process.
        var isGiven = false
    }

    /// Smaller pieces are copied, which costs less than asking.
    let byteCountMin = 1 << 20

    private let link: Link
    private let pieces = Guarded<[UInt: Piece]>([:])

    init(_ link: Link) { self.link = link }

    func allocate(byteCount: Int) -> UnsafeMutableRawPointer? {
        guard let (start, number) = unsafe request(byteCount) else { return nil }
        pieces.withLock { $0[UInt(bitPattern: start)] = Piece(number: number) }
        return unsafe start
    }

    func deallocate(_ start: UnsafeMutableRawPointer, _ byteCount: Int) {
        let piece = pieces.withLock { $0.removeValue(forKey: UInt(bitPattern: start)) }
        unsafe munmap(start, max(1, byteCount))
        if let piece, !piece.isGiven { tell(.released(piece.number)) }
    }

    /// Gives a piece to the program with the next answer; `nil` where the bytes are in no piece.
    ///
    /// It is to be deallocated before that.
    func give(_ start: UnsafeRawPointer?) -> Int? {
        pieces.withLock { pieces in
            let key = UInt(bitPattern: start)
            pieces[key]?.isGiven = true
            return pieces[key]?.number
        }
    }

    /// Whether a piece that has been given is still held here.
    func isHeld(_ number: Int) -> Bool { pieces.withLock { $0.values.contains { $0.number == number } } }

    /// Gives bytes to the program: copies them into a piece of their own.
    ///
    /// - Returns: The number of the piece; `nil` where there is no memory.
    func copy(_ bytes: UnsafeRawBufferPointer) -> Int? {
        guard let (start, number) = unsafe request(bytes.count) else { return nil }
        if let source = bytes.baseAddress { unsafe start.copyMemory(from: source, byteCount: bytes.count) }
        unsafe munmap(start, max(1, bytes.count))
        return number
    }

    private func request(_ byteCount: Int) -> (UnsafeMutableRawPointer, number: Int)? {
        tell(.memory(byteCount))
        let message = WorkerEnd.ofProcess { () throws(Link.Failure) in try link.receive() }
        guard case .memory(let number)? = Order(trusted: message) else { WorkerEnd.end() }
        guard let descriptor = message.memory else { return nil }
        let memory = SharedMemory(descriptor: descriptor, byteCount: byteCount)
        guard let start = unsafe memory.map(writable: true, isPopulated: true) else { return nil }
        return unsafe (start, number)
    }

    private func tell(_ answer: Answer) {
        WorkerEnd.ofProcess { () throws(Link.Failure) in try link.send(answer.message) }
    }
}

/// How a worker ends: with its program.
enum WorkerEnd {
    /// What a call gives; where it fails, nobody is there to work for any more.
    static func ofProcess<Value>(_ call: () throws(Link.Failure) -> Value) -> Value {
        do throws(Link.Failure) { return try call() } catch { end() }
    }

    static func end() -> Never { _exit(0) }
}
