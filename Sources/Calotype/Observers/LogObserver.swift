internal import CalotypeCodecs
internal import CalotypeLoading
internal import CalotypeSupport
internal import FoundationEssentials
public import Logging

/// Logs the activity of a pipeline through swift-log, at a limited rate.
///
/// Failed calls and failed stores are warnings; other calls are logged at `debug`, stages at `trace`. A line
/// has the URL without user, password, query and fragment; for bytes without a URL it has their size and
/// format in `upload`. If lines exceed `maxLinesPerSecond`, the next one written has the number of suppressed
/// lines in `suppressed`.
public final class LogObserver: PipelineObserver {
    private let logger: Logger
    private let budget: Guarded<LogRateLimit>
    private let elapsed: @Sendable () -> Duration

    /// Creates an observer.
    ///
    /// - Parameters:
    ///   - logger: The logger; its level selects the lines.
    ///   - maxLinesPerSecond: The maximum lines per second in the long run, at least 1; ten times as many at
    ///     once. 10 unless given.
    public convenience init(_ logger: Logger, maxLinesPerSecond: Int = 10) {
        self.init(logger, maxLinesPerSecond: maxLinesPerSecond, clock: ContinuousClock())
    }

    init(_ logger: Logger, maxLinesPerSecond: Int, clock: some Clock<Duration>) {
        self.logger = logger
        budget = Guarded(
            LogRateLimit(linesPerSecond: max(1, maxLinesPerSecond), burst: max(1, maxLinesPerSecond) * 10)
        )
        let start = clock.now
        elapsed = { start.duration(to: clock.now) }
    }

    /// Logs the end of a call.
    public func didFinish(_ request: ImageRequest, outcome: LoadOutcome, elapsed: Duration) {
        switch outcome {
        case .success(let source):
            log(.debug, "loaded", of: request, after: elapsed, details: ["source": "\(source)"])
        case .failure(let error):
            log(.warning, "load failed", of: request, after: elapsed, details: error.metadata)
        case .cancelled:
            log(.debug, "load cancelled", of: request, after: elapsed)
        }
    }

    /// Logs the end of a stage.
    public func didFinish(
        _ stage: LoadError.Stage,
        of request: ImageRequest,
        outcome: StageOutcome,
        elapsed: Duration
    ) {
        let details = outcome.failure?.metadata ?? ["stage": "\(stage.label)"]
        let all = details.merging(["bytes": "\(outcome.byteCount)"]) { $1 }
        log(.trace, "step ended", of: request, after: elapsed, details: all)
    }

    /// Logs a store that could not be read or written.
    public func didFailToStore(_ request: ImageRequest, error: LoadError) {
        log(.warning, "store failed", of: request, after: nil, details: error.metadata)
    }

    private func log(
        _ level: Logger.Level,
        _ message: Logger.Message,
        of request: ImageRequest,
        after duration: Duration?,
        details: Logger.Metadata = [:]
    ) {
        guard level >= logger.logLevel else { return }
        let now = elapsed()
        guard let suppressedCount = budget.withLock({ $0.takeLine(at: now) }) else { return }
        var metadata = details
        if let bytes = request.bytesAtHand {
            metadata["upload"] = "\(bytes)"
        } else {
            metadata["url"] = "\(request.url.redactedText)"
        }
        if let duration { metadata["milliseconds"] = "\(Int(duration / .milliseconds(1)))" }
        if suppressedCount > 0 { metadata["suppressed"] = "\(suppressedCount)" }
        logger.log(level: level, message, metadata: metadata)
    }
}

extension LoadError {
    fileprivate var metadata: Logger.Metadata {
        ["stage": "\(stage.label)", "code": "\(codeLabel)", "error": "\(reason)"]
    }
}
