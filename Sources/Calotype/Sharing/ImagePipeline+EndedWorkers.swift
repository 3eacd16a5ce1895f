internal import CalotypeCache
internal import CalotypeCodecs
internal import CalotypeSupport
internal import CalotypeTransforms

extension ImagePipeline {
    /// Makes a variant, unless that has ended a codec worker of late: it would end another, after as long
    /// again.
    ///
    /// - Parameters:
    ///   - key: That of the variant.
    ///   - request: What it is made for.
    ///   - body: Makes it.
    /// - Returns: What the body returns.
    /// - Throws: What the body throws, or has thrown then.
    func rememberingEndedWorkers<Value>(
        _ key: ImageKey,
        of request: ImageRequest,
        _ body: () async throws -> Value
    ) async throws -> Value {
        let now = configuration.now()
        let failure = variantFailures.withLock { $0.failure(of: key, at: now) }
        if let failure, !request.ignoresPastFailure { throw failure }
        do {
            let value = try await body()
            variantFailures.withLock { $0.remove(key) }
            return value
        } catch let error as LoadError where error.hasEndedWorker {
            variantFailures.withLock { $0.note(error, of: key, at: configuration.now()) }
            throw error
        }
    }
}

extension LoadError {
    /// Whether a transform or an encoder has ended its worker.
    fileprivate var hasEndedWorker: Bool {
        switch underlying {
        case let error as TransformError: [.timedOut, .crashed, .memoryExceeded].contains(error.code)
        case let error as EncodeError: [.timedOut, .crashed, .memoryExceeded].contains(error.code)
        default: false
        }
    }
}
