import CalotypeSupport

/// Converts shared memory to huge pages in the background, so that a thread that writes there need not wait.
///
/// A write ahead of the conversion creates a small page, which later becomes part of the huge one.
final class HugePages: Sendable {
    /// `madvise` advice: collapses existing pages into huge ones, regardless of the setting for shared memory
    /// (Linux 6.1).
    private static let collapse: Int32 = 25
    /// The bytes converted by one call; stopping waits for at most this many.
    private static let portionByteCount = 4 * PixelMemory.hugePageByteCount
    /// How often a page under concurrent writes is retried.
    private static let maxTryCount = 3

    private let address: UInt
    private let byteCount: Int
    /// Held during conversion, so that none happens after the stop.
    private let isStopped = Guarded(false)

    /// Starts converting memory that consists of whole huge pages and has not been written to; `nil` if the
    /// kernel refuses.
    ///
    /// Must be stopped before the memory is remapped.
    init?(_ start: UnsafeMutableRawPointer, byteCount: Int) {
        let first = PixelMemory.hugePageByteCount
        // The kernel collapses only around an existing small page.
        for place in stride(from: 0, to: byteCount, by: first) {
            unsafe start.storeBytes(of: 0, toByteOffset: place, as: UInt8.self)
        }
        guard unsafe madvise(start, first, Self.collapse) == 0 else { return nil }
        (address, self.byteCount) = (UInt(bitPattern: start), byteCount)
        guard byteCount > first else { return }
        // Without a thread, convert on the caller.
        if !SystemThread.start(name: "calotype-pages", body: makeAll) { makeAll() }
    }

    private func makeAll() {
        for _ in 0..<Self.maxTryCount {
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
            // Out of huge pages, the rest stays small.
            return errno == EAGAIN || errno == EBUSY ? .tryAgain : .over
        }
    }

    func stop() { isStopped.withLock { $0 = true } }
}
