import CalotypeSupport

extension DiskCache {
    /// The most bytes that the entries may have together in this directory; `nil` before it is open.
    package var sizeLimit: Int? {
        front.withLock { $0.rules?.sizeLimit }
    }
}
