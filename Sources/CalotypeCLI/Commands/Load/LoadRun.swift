import Calotype
import CalotypeCore
import CalotypeTransforms

/// Goes through the list of a load, and tells what became of each address.
struct LoadRun: Sendable {
    /// One load: an address, in one pass through the list.
    private struct Item: Sendable {
        let index: Int
        let address: String
        let isFirstPass: Bool
    }

    private let command: LoadCommand
    private let transforms: TransformChain
    private let session: LoadSession
    private let loader: ContentLoader
    private let target: LoadTarget?
    private let previews: PreviewFolder?
    private let console: Console

    init(
        command: LoadCommand,
        transforms: TransformChain,
        session: LoadSession,
        target: LoadTarget?,
        console: Console
    ) {
        self.command = command
        self.transforms = transforms
        self.session = session
        self.target = target
        self.console = console
        loader = ContentLoader(pipeline: session.pipeline, command: command, target: target)
        previews = command.previewFolder.map { PreviewFolder($0, addresses: command.addresses) }
    }

    /// Runs every pass; a load that fails is reported and disturbs no other.
    func run() async throws -> ProgramStatus {
        try await target?.prepare()
        try await previews?.prepare()
        let start = ContinuousClock.now
        var outcome = LoadOutcomes()
        let result = await Result { () async throws in try await runPasses(&outcome) }
        session.observer.end()
        let byteCount = session.observer.receivedByteCount
        let text = outcome.summary.text(receivedByteCount: byteCount, elapsed: .now - start)
        if case .failure(let error) = result {
            // Whoever interrupts a long list wants to know how far it came.
            if error is CancellationError { try await console.conclude("interrupted after \(text)") }
            throw error
        }
        if outcome.storeFailureCount > 1 {
            let count = outcome.storeFailureCount - 1
            try await console.report(warning: "the disk cache failed for \(count) more")
        }
        try await console.conclude(text)
        return .combined(outcome.statuses)
    }

    private func runPasses(_ outcome: inout LoadOutcomes) async throws {
        for pass in 0..<command.passCount {
            let items = command.addresses.enumerated().map {
                Item(index: $0.offset, address: $0.element, isFirstPass: pass == 0)
            }
            try await OrderedWork.run(items, concurrencyMax: command.concurrencyMax) { item in
                try await report(item)
            } deliver: { report in
                outcome.add(report)
                try await tell(report, isFirstStoreFailure: outcome.storeFailureCount == 1)
            }
        }
    }

    /// Prints a result; a failure to store is told for the first, and the others are counted.
    private func tell(_ report: LoadReport, isFirstStoreFailure: Bool) async throws {
        let name = SafeText.shortened(report.address)
        if let failure = report.storeFailure, isFirstStoreFailure {
            let problem = failure.stage == .store ? "not kept on disk" : "not looked for on disk"
            try await console.report(warning: "\(name): \(problem): \(ErrorText.describe(failure))")
        }
        if report.error == nil || console.isJSON {
            try await console.write(report.record, as: LoadReport.table)
        }
        if let error = report.error {
            try await console.report(error: "\(name): \(error)")
        }
    }

    /// Loads one image, and writes it and its previews where that is asked for.
    private func report(_ item: Item) async throws -> LoadReport {
        let start = ContinuousClock.now
        var report = LoadReport(address: item.address)
        var request: ImageRequest?
        defer { session.observer.finished(request?.url) }
        do {
            let typed = try command.request(for: item.address, to: target, transforms: transforms)
            request = typed
            async let previewsWritten: Void = writePreviews(of: typed, item)
            let content = try await loader.content(of: typed)
            report.elapsed = .now - start
            report.describe(content)
            if item.isFirstPass { try await target?.write(content, at: item.index) }
            try await previewsWritten
        } catch let error where !(error is CancellationError) {
            if report.source == nil { report.elapsed = .now - start }
            report.fail(error)
            if (error as? LoadError)?.code == .fileNotFound, let hint = AddressList.hint(for: item.address) {
                report.error?.append("; " + hint)
            }
        }
        report.storeFailure = request.flatMap { session.observer.takeStoreFailure(of: $0.url) }
        return report
    }

    private func writePreviews(of request: ImageRequest, _ item: Item) async throws {
        guard item.isFirstPass, let previews else { return }
        try await previews.write(previewsOf: request, at: item.index, from: session.pipeline)
    }
}

/// What has become of the loads so far.
private struct LoadOutcomes {
    var statuses: Set<ProgramStatus> = []
    var storeFailureCount = 0
    var summary = LoadSummary()

    mutating func add(_ report: LoadReport) {
        statuses.insert(report.status)
        summary.add(report)
        storeFailureCount += report.storeFailure == nil ? 0 : 1
    }
}
