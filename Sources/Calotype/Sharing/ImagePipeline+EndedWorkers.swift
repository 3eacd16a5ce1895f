internal import CalotypeCache
internal import CalotypeCodecs
internal import CalotypeSupport
internal import CalotypeTransforms

/// Failures at a limit of time or memory: the same work would fail again, after the same time.
extension ImagePipeline {
    /// Produces a variant, unless that failed at a limit of late.
    ///
    /// - Parameters:
    ///   - identity: The keys of the variant and its source.
    ///   - request: The request.
    ///   - body: Produces the variant.
    /// - Returns: The result of the body.
    /// - Throws: The error of the body, or the remembered one.
    func rememberingEndedWorkers<Value>(
        _ identity: RequestIdentity,
        of request: ImageRequest,
        _ body: () async throws -> Value
    ) async throws -> Value {
        let (now, key) = (configuration.now(), identity.key)
        let failure = variantFailures.withLock { $0.failure(of: key, at: now) }
        if let failure, !request.ignoresPastFailure { throw failure }
        try checkPastDecodes(of: identity.source, for: request)
        do {
            let value = try await body()
            variantFailures.withLock { $0.remove(key) }
            return value
        } catch let error as LoadError where error.hasEndedWorker || error.hasTimedOut {
            let now = configuration.now()
            variantFailures.withLock { $0.note(error, of: key, at: now) }
            if error.hasTimedOut { noteDecode(error, of: identity, at: now) }
            throw error
        }
    }

    /// Remembers a decode that exceeded a limit, for all variants of its source.
    ///
    /// After a decode that exceeded the memory limit one more is tried, which may be smaller. There is no
    /// third one, because callers could request one size after another.
    private func noteDecode(
        _ error: LoadError,
        of identity: RequestIdentity,
        at now: ContinuousClock.Instant
    ) {
        let (first, all) = (Self.firstDecode(of: identity.source), Self.decodes(of: identity.source))
        failures.withLock { memory in
            let mayTryAnother = error.mayFitSmaller && memory.failure(of: first, at: now) == nil
            memory.note(error, of: mayTryAnother ? first : all, at: now)
        }
    }

    /// - Throws: ``LoadError`` if decodes of a source exceeded a limit of late, whatever the size.
    private func checkPastDecodes(of source: String, for request: ImageRequest) throws {
        guard !request.ignoresPastFailure else { return }
        let now = configuration.now()
        if let failure = failures.withLock({ memory in
            memory.isEmpty ? nil : memory.failure(of: Self.decodes(of: source), at: now)
        }) {
            throw failure
        }
    }

    private static func firstDecode(of source: String) -> String { "\(source) decoded once" }

    private static func decodes(of source: String) -> String { "\(source) decoded" }
}

extension LoadError {
    /// True if a transform or an encoder has ended its worker.
    fileprivate var hasEndedWorker: Bool {
        switch underlying {
        case let error as TransformError: [.timedOut, .crashed, .memoryExceeded].contains(error.code)
        case let error as EncodeError: [.timedOut, .crashed, .memoryExceeded].contains(error.code)
        default: false
        }
    }
}
