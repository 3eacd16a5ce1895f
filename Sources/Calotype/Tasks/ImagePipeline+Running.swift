internal import CalotypeSupport

/// Running loads, and pausing of new ones.
extension ImagePipeline {
    /// True if any call waits for work.
    public var isRunning: Bool {
        variants.waiterCount + encodedVariants.waiterCount + originals.waiterCount > 0
    }

    /// The requests whose work calls wait for: one for each piece of work, that of the call that started it.
    public var runningRequests: [ImageRequest] {
        Array(Set(variants.subjects + encodedVariants.subjects + originals.subjects))
    }

    /// Pauses new requests to loaders, for one host or all.
    ///
    /// Requests already given to a loader continue, even if they wait in the loader's own queue, which other
    /// pipelines may share. Paused loads fail only if they exceed their own time limit; caches are used as
    /// usual.
    ///
    /// - Parameter host: The host of a URL, such as `images.example.org`; all hosts unless given.
    public func pauseLoading(from host: String? = nil) {
        pauseGate.pause(host)
    }

    /// Resumes loads that ``pauseLoading(from:)`` with the same argument has paused.
    ///
    /// - Parameter host: The host; ends the pause of all hosts unless given. A host that was paused
    ///   separately stays paused.
    public func resumeLoading(from host: String? = nil) {
        pauseGate.resume(host)
    }

    /// Returns true if loading is paused, for all hosts or for one.
    ///
    /// - Parameter host: The host; the pause of all hosts unless given.
    /// - Returns: True if ``pauseLoading(from:)`` was called with the same argument and not undone.
    public func isLoadingPaused(from host: String? = nil) -> Bool {
        pauseGate.isPaused(host)
    }
}
