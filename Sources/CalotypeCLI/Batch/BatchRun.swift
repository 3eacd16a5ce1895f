/// The result of one image of a batch.
protocol BatchReport: Sendable {
    /// The image, as it was typed.
    var address: String { get }
    var record: Record { get }
    /// Whether the output existed and was left as it was.
    var isSkipped: Bool { get }
    /// The error; `nil` after a success.
    var error: String? { get }
    var status: CommandExitCode { get }
    /// The labels that the image is counted under in the summary.
    var labels: [String] { get }
}

/// Processes a list of images concurrently: shows the progress, reports each result in the order of the list,
/// and at the end, or when it is interrupted, the counts.
struct BatchRun: Sendable {
    let console: Console
    let table: Table
    let maxConcurrency: Int
    /// Whether a summary is shown to a person at the end.
    let concludes: Bool
    /// Whether the run writes files, and so continues if its report cannot be written.
    let writesFiles: Bool
    /// Returns the number of bytes read so far.
    let readByteCount: @Sendable () -> Int
    /// The remedy after an interrupt; empty for none.
    let interruptHint: String
    let endProgress: @Sendable () -> Void

    /// Runs the work; an item that fails does not affect the others.
    ///
    /// - Parameters:
    ///   - passes: The items; those of a pass start after the previous pass has finished.
    ///   - summary: The summary that counts the results.
    ///   - work: Processes one item; a thrown error ends the run.
    ///   - willReport: Called with each result before it is reported, in the order of the list.
    /// - Returns: The combined status.
    /// - Throws: Errors of `work` and of the console.
    func run<Item: Sendable, Report: BatchReport>(
        _ passes: [[Item]],
        countedIn summary: BatchSummary,
        work: @escaping @Sendable (Item) async throws -> Report,
        willReport: (inout Report) async throws -> Void = { _ in }
    ) async throws -> CommandExitCode {
        let start = ContinuousClock.now
        var summary = summary
        var statuses: Set<CommandExitCode> = []
        var reportError: CommandError?
        let result = await Result { () async throws in
            for items in passes {
                try await OrderedWork.run(items, maxConcurrency: maxConcurrency, work: work) { report in
                    var report = report
                    try await willReport(&report)
                    statuses.insert(report.status)
                    summary.add(report.labels)
                    guard reportError == nil else { return }
                    do {
                        try await tell(report)
                    } catch let error as CommandError where writesFiles {
                        // The files are the work: `| head -1` ends the report and not the batch.
                        reportError = error
                    }
                }
            }
        }
        endProgress()
        let text = summary.text(readByteCount: readByteCount(), elapsed: .now - start)
        if case .failure(let error) = result {
            if error is CancellationError {
                try await console.conclude("interrupted after \(text)\(interruptHint)")
            }
            throw error
        }
        if let reportError, reportError.code != .outputClosed { throw reportError }
        if concludes { try await console.conclude(text) }
        return .combined(statuses)
    }

    private func tell(_ report: some BatchReport) async throws {
        if report.error == nil || console.isJSON {
            let isPlain = console.isJSON || !report.isSkipped
            // The error reason is shown in the column of the format.
            let record = isPlain ? report.record : report.record.replacing("format", .text("skipped"))
            try await console.write(record, as: table)
        }
        if let error = report.error {
            try await console.report(error: "\(SafeText.shortened(report.address)): \(error)")
        }
    }
}
