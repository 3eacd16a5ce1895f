import CalotypeSupport

/// Refusal of directories that other users can write to.
extension DiskCache {
    /// Returns whether the directory may be used; if not, every later operation throws the reason.
    func isTrusted() -> Bool {
        do {
            try folder.judgeDirectory()
        } catch {
            // Later operations will meet a failed call too.
            guard error.distrust != nil else { return true }
            let problem = DiskCacheError(error, path: layout.base)
            front.withLock { $0.openingError = problem }
            for waiter in state.withLock({ $0.takeAllWaiters() }) { waiter(problem) }
            return false
        }
        return true
    }

    /// Throws the opening error if the directory is not trusted.
    ///
    /// It has no rules either, so reads do not bypass this check.
    func throwIfRefused() throws(DiskCacheError) {
        if let problem = front.withLock({ $0.isRefused ? $0.openingError : nil }) { throw problem }
    }
}
