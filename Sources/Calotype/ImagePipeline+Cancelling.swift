extension ImagePipeline {
    /// Cancels every load in progress; later loads work as usual.
    ///
    /// Each cancelled call throws `CancellationError` once. So does a prefetch, and a slot shows no image. A
    /// call that has its result and only waits for the write continues.
    public func cancelAll() {
        variants.cancelAll()
        encodedVariants.cancelAll()
        originals.cancelAll()
    }
}
