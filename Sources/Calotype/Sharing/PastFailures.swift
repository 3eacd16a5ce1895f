internal import CalotypeCache
internal import CalotypeCodecs
internal import CalotypeSupport
internal import CalotypeTransforms

/// The failures of late, after which work is not repeated for a time.
///
/// Work that failed at a limit of time or memory would fail again, after the same time.
final class PastFailures: Sendable {
    /// Permanent failures, by URL.
    let loads: Guarded<FailureMemory>
    /// Variants whose codec worker was lost.
    private let variants: Guarded<FailureMemory>
    /// Failures of origins.
    let origins: Guarded<FailureMemory>
    private let now: @Sendable () -> ContinuousClock.Instant

    init(_ configuration: ImagePipeline.Configuration) {
        let failures = FailureMemory(
            duration: configuration.failureDuration,
            countMax: configuration.failureCountMax
        )
        loads = Guarded(failures)
        variants = Guarded(failures)
        let ofOrigins = FailureMemory(duration: configuration.originFailureDuration, countMax: 1_000)
        origins = Guarded(ofOrigins)
        now = configuration.now
    }

    /// Forgets permanent failures and lost variants.
    func removeAll() {
        loads.withLock { $0.removeAll() }
        variants.withLock { $0.removeAll() }
    }

    /// Forgets the failures of matching keys.
    func removeAll(where isRemoved: (ImageKey) -> Bool) {
        loads.withLock { $0.removeAll(where: isRemoved) }
        variants.withLock { $0.removeAll(where: isRemoved) }
    }

    /// Produces a variant, unless that failed at a limit of late.
    ///
    /// - Parameters:
    ///   - key: The key of the variant.
    ///   - request: The request.
    ///   - body: Produces the variant.
    /// - Returns: The result of the body.
    /// - Throws: The error of the body, or the remembered one.
    func rememberingEndedWorkers<Value>(
        _ key: ImageKey,
        of request: ImageRequest,
        _ body: () async throws -> Value
    ) async throws -> Value {
        let now = self.now()
        let failure = variants.withLock { $0.failure(of: key, at: now) }
        if let failure, !request.ignoresPastFailure { throw failure }
        do {
            let value = try await body()
            variants.withLock { $0.remove(key) }
            return value
        } catch let error as LoadError where error.hasEndedWorker {
            noteFailure(error, of: key)
            throw error
        }
    }

    /// Remembers the failure of a variant.
    func noteFailure(_ error: LoadError, of key: ImageKey) {
        variants.withLock { $0.note(error, of: key, at: now()) }
    }

    /// Remembers a decode that exceeded a limit.
    ///
    /// A decode that exceeded the memory limit is remembered for its recipe; one more recipe is tried, which
    /// may be smaller. There is no third one, because callers could request one size after another.
    func noteDecode(_ error: LoadError, of source: String, as recipe: DecodeRecipe) {
        let now = self.now()
        let (own, first, all) = Self.decodeKeys(of: source, as: recipe)
        variants.withLock { memory in
            let isKnown = memory.failure(of: own, at: now) != nil
            let isSecond = memory.failure(of: first, at: now) != nil && !isKnown
            memory.note(error, of: own, at: now)
            guard error.mayFitSmaller, !isSecond else { return memory.note(error, of: all, at: now) }
            if !isKnown { memory.note(error, of: first, at: now) }
        }
    }

    /// - Throws: ``LoadError`` if this decode, or decodes of the source in general, exceeded a limit of late.
    func checkPastDecodes(of source: String, as recipe: DecodeRecipe, for request: ImageRequest) throws {
        guard !request.ignoresPastFailure, !variants.withLock(\.isEmpty) else { return }
        let now = self.now()
        let (own, _, all) = Self.decodeKeys(of: source, as: recipe)
        let failure = variants.withLock {
            $0.failure(of: own, at: now) ?? $0.failure(of: all, at: now)
        }
        if let failure { throw failure }
    }

    /// Keys of the source, so that its removal forgets them.
    private static func decodeKeys(
        of source: String,
        as recipe: DecodeRecipe
    ) -> (own: ImageKey, first: ImageKey, all: ImageKey) {
        (
            ImageKey(source: source, variant: "decode \(recipe.hashValue)"),
            ImageKey(source: source, variant: "first decode"),
            ImageKey(source: source, variant: "decodes")
        )
    }
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
