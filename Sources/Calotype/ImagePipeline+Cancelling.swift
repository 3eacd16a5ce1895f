extension ImagePipeline {
    /// Cancels every load that is under way, and goes on: what is asked for after that is loaded.
    ///
    /// Their calls throw `CancellationError`, each once; so does a prefetch, and a slot shows nothing. A call
    /// that has its result and only waits until that is written goes on.
    public func cancelAll() {
        variants.cancelAll()
        encodedVariants.cancelAll()
        originals.cancelAll()
    }
}
