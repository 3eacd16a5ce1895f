import Calotype
import CalotypeCore
import CalotypeSupport
import CalotypeTransforms

struct LoadRun: Sendable {
    /// One load: a source, in one pass through the list.
    private struct Load: Sendable {
        let index: Int
        let isFirstPass: Bool
    }

    let command: LoadCommand
    let sources: [BatchSource]
    let transforms: TransformChain
    let session: LoadSession
    let target: OutputTarget?
    let writer: OutputWriter
    let previews: PreviewFolder?
    let console: Console

    private var loader: ContentLoader {
        ContentLoader(
            pipeline: session.pipeline,
            target: target,
            settings: command.encoding.settings,
            changesOriginals: command.changesOriginals
        )
    }

    /// Runs every pass; a load that fails is reported and does not affect the others.
    func run() async throws -> CommandExitCode {
        try await target?.prepare(by: writer)
        try await previews?.prepare()
        let batch = BatchRun(
            console: console,
            table: target == nil ? LoadReport.table : LoadReport.tableWithFiles,
            maxConcurrency: command.maxConcurrency,
            concludes: true,
            writesFiles: target != nil,
            readByteCount: { [session] in session.observer.receivedByteCount },
            interruptHint: target?.interruptHint ?? "",
            endProgress: { [session] in session.observer.end() }
        )
        let passes = (0..<command.passCount).map { pass in
            sources.indices.map { Load(index: $0, isFirstPass: pass == 0) }
        }
        let sourceNames = LoadedImage.Source.allCases.map(\.rawValue)
        let summary = BatchSummary("load", "loads", labels: sourceNames)
        var storeFailureCount = 0
        let status = try await batch.run(passes, countedIn: summary) { load in
            try await report(load)
        } willReport: { report in
            storeFailureCount += report.storeFailure == nil ? 0 : 1
            if storeFailureCount == 1 { try await tellStoreFailure(of: report) }
        }
        if storeFailureCount > 1 {
            try await console.report(warning: "the disk cache failed for \(storeFailureCount - 1) more")
        }
        return status
    }

    /// Warns of the first failure to store only, since the others mostly have the same reason.
    private func tellStoreFailure(of report: LoadReport) async throws {
        guard let failure = report.storeFailure else { return }
        let problem = failure.stage == .store ? "not stored on disk" : "not read from disk"
        let name = SafeText.shortened(report.address)
        try await console.report(warning: "\(name): \(problem): \(ErrorText.describe(failure))")
    }

    /// Loads one image, and writes it and its previews if requested.
    private func report(_ load: Load) async throws -> LoadReport {
        let start = ContinuousClock.now
        let source = sources[load.index]
        var report = LoadReport(address: await BlockingPool.command.run { source.shownAddress })
        var request: ImageRequest?
        defer { session.observer.finished(request?.url) }
        do {
            if load.isFirstPass, try await skips(load.index, &report) { return report }
            let typed = try command.request(for: source, to: target, transforms: transforms)
            request = typed
            async let previewsWritten: Void = writePreviews(of: typed, load)
            let content = try await loader.content(of: typed)
            report.elapsed = .now - start
            report.describe(content)
            if load.isFirstPass { try await write(content, load.index, &report) }
            try await previewsWritten
        } catch let error where !(error is CancellationError) {
            if report.source == nil { report.elapsed = .now - start }
            report.fail(error, of: source)
            if let hint = await hint(for: source.address, error) {
                report.error?.append("; " + SafeText.withoutCredentials(hint))
            }
        }
        report.storeFailure = request.flatMap { session.observer.takeStoreFailure(of: $0.url) }
        return report
    }

    /// Whether the output of a source exists, so that loading it is unnecessary.
    private func skips(_ index: Int, _ report: inout LoadReport) async throws -> Bool {
        guard let target else { return false }
        // An extension often differs from the image's format: it is used for skipping only.
        let (source, mayGuess) = (sources[index], command.batch.skipExisting)
        let expected = await BlockingPool.command.run {
            target.expectedPath(at: index, of: source, mayGuess: mayGuess)
        }
        guard let path = expected, try await writer.skips(path, of: target.identity(at: index)) else {
            return false
        }
        (report.path, report.isSkipped) = (path, true)
        return true
    }

    private func write(_ content: LoadContent, _ index: Int, _ report: inout LoadReport) async throws {
        guard let target, case .encoded(let encoded) = content else { return }
        let (path, outcome) = try await target.write(
            encoded.data,
            encoded.info,
            at: index,
            by: writer
        )
        report.path = path
        report.isSkipped = outcome == .skipped
    }

    private func hint(for address: String, _ error: any Error) async -> String? {
        guard let error = error as? LoadError else { return nil }
        if error.code == .fileNotFound { return AddressList.hint(for: address) }
        return await InputHint.forFolder(address)
    }

    private func writePreviews(of request: ImageRequest, _ load: Load) async throws {
        guard load.isFirstPass, let previews else { return }
        try await previews.write(previewsOf: request, at: load.index, from: session.pipeline)
    }
}
