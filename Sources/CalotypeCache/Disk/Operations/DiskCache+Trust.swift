import CalotypeSupport

/// A directory that other users can write to is not used at all.
extension DiskCache {
    /// Whether the directory may be used; where it may not, whoever asks for anything is told why.
    func isTrusted() -> Bool {
        do {
            try folder.judgeDirectory()
        } catch {
            // A call that failed is met again by whatever uses the directory.
            guard error.distrust != nil else { return true }
            let problem = DiskCacheError(error, path: layout.base)
            front.withLock { $0.openingError = problem }
            for waiter in state.withLock({ $0.takeAllWaiters() }) { waiter(problem) }
            return false
        }
        return true
    }

    /// Answers for a directory that is not to be trusted.
    ///
    /// It has no rules either, so nothing is read from it in place.
    func throwIfRefused() throws(DiskCacheError) {
        if let problem = front.withLock({ $0.isRefused ? $0.openingError : nil }) { throw problem }
    }
}
