extension ImagePipeline {
    /// Cancels every load that is under way, and goes on: what is asked for after that is loaded.
    ///
    /// Their calls throw `CancellationError`, each once; so does a prefetch, and a slot shows nothing. What has
    /// its result and waits only until it has been written has to wait no longer than it takes.
    public func cancelAll() {
        variants.cancelAll()
        encodedVariants.cancelAll()
        originals.cancelAll()
    }
}
