internal import CalotypeSupport

/// What runs, and holding back what would.
extension ImagePipeline {
    /// Whether any call waits for work.
    public var isRunning: Bool {
        variants.waiterCount + encodedVariants.waiterCount + originals.waiterCount > 0
    }

    /// The requests whose work calls wait for: one for each piece of work, that of the call which began it.
    public var runningRequests: [ImageRequest] {
        Array(Set(variants.subjects + encodedVariants.subjects + originals.subjects))
    }

    /// Holds back what would ask a loader from now on, of one host or of all; what has asked goes on.
    ///
    /// What a loader has been asked for goes on, also where it waits in the loader's own queue, which other
    /// pipelines may share. What waits here is not failed, but for its own time-out; caches answer as ever.
    ///
    /// - Parameter host: The host of a URL, as `images.example.org`; all unless given.
    public func pauseLoading(from host: String? = nil) {
        pauseGate.pause(host)
    }

    /// Lets go on what ``pauseLoading(from:)`` with the same argument has held back.
    ///
    /// - Parameter host: The host; the pause of all unless given. A host that is paused by itself stays so.
    public func resumeLoading(from host: String? = nil) {
        pauseGate.resume(host)
    }

    /// Whether loading is paused, of all or of a host.
    ///
    /// - Parameter host: The host; the pause of all unless given.
    /// - Returns: Whether ``pauseLoading(from:)`` was called with the same and not undone.
    public func isLoadingPaused(from host: String? = nil) -> Bool {
        pauseGate.isPaused(host)
    }
}
