import CalotypeSupport

/// Makes huge pages of shared memory while somebody writes there already, who otherwise would wait for them.
///
/// Whoever comes first to a place has a small page there, which becomes a part of the huge one.
final class HugePages: Sendable {
    /// Of `madvise`: makes huge pages of what is there, whatever the administrator says of shared memory
    /// (Linux 6.1).
    private static let collapse: Int32 = 25
    /// How much is made at once; whoever stops it waits for so much.
    private static let portionByteCount = 4 * PixelMemory.hugePageByteCount
    /// How often it is tried to make those of places where somebody writes at the same moment.
    private static let tryCountMax = 3

    private let address: UInt
    private let byteCount: Int
    /// Held while pages are made, so that none are once this has been stopped.
    private let isStopped = Guarded(false)

    /// Begins to make huge pages of memory that is a whole number of them and has not been written to; `nil`
    /// where the kernel makes none.
    ///
    /// Has to be stopped before the memory is mapped otherwise.
    init?(_ start: UnsafeMutableRawPointer, byteCount: Int) {
        let first = PixelMemory.hugePageByteCount
        // A huge page is made around a small one.
        for place in stride(from: 0, to: byteCount, by: first) {
            unsafe start.storeBytes(of: 0, toByteOffset: place, as: UInt8.self)
        }
        guard unsafe madvise(start, first, Self.collapse) == 0 else { return nil }
        (address, self.byteCount) = (UInt(bitPattern: start), byteCount)
        guard byteCount > first else { return }
        // Where there is no thread it takes the time of whoever asks.
        if !SystemThread.start(name: "calotype-pages", body: makeAll) { makeAll() }
    }

    private func makeAll() {
        for _ in 0..<Self.tryCountMax {
            var isDone = true
            for place in stride(from: 0, to: byteCount, by: Self.portionByteCount) {
                switch makePortion(from: place) {
                case .made: continue
                case .tryAgain: isDone = false
                case .over: return
                }
            }
            if isDone { return }
        }
    }

    private enum Outcome {
        case made, tryAgain, over
    }

    private func makePortion(from place: Int) -> Outcome {
        isStopped.withLock { isStopped in
            guard !isStopped else { return .over }
            let start = unsafe UnsafeMutableRawPointer(bitPattern: address + UInt(place))
            let count = min(Self.portionByteCount, byteCount - place)
            if unsafe madvise(start, count, Self.collapse) == 0 { return .made }
            // Where there are no more of them, the pages stay small.
            return errno == EAGAIN || errno == EBUSY ? .tryAgain : .over
        }
    }

    /// Leaves the pages as they are.
    func stop() { isStopped.withLock { $0 = true } }
}
