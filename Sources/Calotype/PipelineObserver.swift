/// Is told what a pipeline does; every method has an empty default.
///
/// Methods are called on the task that does the work, and must return soon.
public protocol PipelineObserver: Sendable {
    /// More bytes of an original have come.
    ///
    /// - Parameters:
    ///   - byteCount: The bytes received so far.
    ///   - expected: The bytes announced, or `nil`.
    ///   - request: The request that started the load; others may share it.
    func pipeline(didReceive byteCount: Int, expected: Int?, of request: ImageRequest)

    /// A store could not be read or written; the request went on without it.
    func pipeline(didFailToStore request: ImageRequest, error: LoadError)
}

extension PipelineObserver {
    /// Does nothing.
    public func pipeline(didReceive byteCount: Int, expected: Int?, of request: ImageRequest) {}

    /// Does nothing.
    public func pipeline(didFailToStore request: ImageRequest, error: LoadError) {}
}
