internal import CalotypeLoading

extension Stages {
    /// True if neither observers nor interceptors take part in loads.
    var isUnobserved: Bool { configuration.observers.isEmpty && configuration.interceptors.isEmpty }

    func notify(_ body: (any PipelineObserver) -> Void) {
        for observer in configuration.observers { body(observer) }
    }

    /// Runs a call, and notifies the observers of its outcome.
    func observed<Value>(
        _ request: ImageRequest,
        source: (Value) -> LoadedImage.Source,
        _ body: () async throws -> Value
    ) async throws -> Value {
        let start = configuration.observers.isEmpty ? nil : configuration.now()
        func end(_ outcome: @autoclosure () -> LoadOutcome) {
            guard let start else { return }
            let (outcome, elapsed) = (outcome(), configuration.now() - start)
            notify { $0.didFinish(request, outcome: outcome, elapsed: elapsed) }
        }
        do {
            let value = try await body()
            end(.success(source(value)))
            return value
        } catch var error as LoadError {
            let address = request.bytesAtHand ?? request.url.redactedText
            error.address = request.refusedText == nil ? address : nil
            end(.failure(error))
            throw error
        } catch {
            end(.cancelled)
            throw error
        }
    }

    /// Runs a stage, and notifies the observers of its start and its outcome.
    ///
    /// - Parameters:
    ///   - stage: The stage.
    ///   - request: The request of the work.
    ///   - tally: The counts of a load; `nil` for other stages.
    ///   - storeFailureCount: Returns the number of stores that failed although the stage did not.
    ///   - byteCount: Returns the number of bytes processed.
    ///   - body: The work of the stage.
    /// - Returns: The result of the body.
    /// - Throws: The error of the body, as an error of the stage; `CancellationError` unchanged.
    func step<Value>(
        _ stage: LoadError.Stage,
        of request: ImageRequest,
        tally: FetchTally? = nil,
        storeFailureCount: () -> Int = { 0 },
        byteCount: (Value) -> Int,
        _ body: () async throws -> Value
    ) async throws -> Value {
        let start = configuration.now()
        notify { $0.didBegin(stage, of: request) }
        func end(_ outcome: consuming StageOutcome) {
            if let tally { outcome.fetch = tally.counts }
            guard !configuration.observers.isEmpty else { return }
            let (outcome, elapsed) = (outcome, configuration.now() - start)
            notify { $0.didFinish(stage, of: request, outcome: outcome, elapsed: elapsed) }
        }
        do {
            let value = try await body()
            var outcome = StageOutcome(byteCount: byteCount(value))
            outcome.storeFailureCount = storeFailureCount()
            end(outcome)
            return value
        } catch let error as CancellationError {
            throw error
        } catch {
            let failure = error as? LoadError ?? LoadError(stage: stage, underlying: error)
            end(StageOutcome(failure: failure))
            throw failure
        }
    }

    /// Notifies the observers of a store that could not be read or written.
    func notifyStoreFailure(_ error: LoadError, _ request: ImageRequest) {
        notify { $0.didFailToStore(request, error: error) }
    }
}
