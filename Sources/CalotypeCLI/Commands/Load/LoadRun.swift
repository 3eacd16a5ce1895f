import Calotype

/// Goes through the list of a load, and tells what became of each address.
struct LoadRun: Sendable {
    /// One load: an address, in one pass through the list.
    private struct Item: Sendable {
        let index: Int
        let address: String
        let isFirstPass: Bool
    }

    private let command: LoadCommand
    private let session: LoadSession
    private let writer: LoadWriter?
    private let console: Console

    init(command: LoadCommand, session: LoadSession, target: LoadTarget?, console: Console) {
        self.command = command
        self.session = session
        self.console = console
        writer = target.map { LoadWriter(target: $0, command: command, session: session) }
    }

    /// Runs every pass; a load that fails is reported and disturbs no other.
    func run() async throws -> ProgramStatus {
        try await writer?.prepare()
        var statuses: Set<ProgramStatus> = []
        var storeFailureCount = 0
        for pass in 0..<command.passCount {
            let items = command.addresses.enumerated().map {
                Item(index: $0.offset, address: $0.element, isFirstPass: pass == 0)
            }
            try await OrderedWork.run(items, concurrencyMax: command.concurrencyMax) { item in
                try await report(item)
            } deliver: { report in
                statuses.insert(report.status)
                storeFailureCount += report.storeFailure == nil ? 0 : 1
                try await tell(report, isFirstStoreFailure: storeFailureCount == 1)
            }
        }
        session.observer.end()
        if storeFailureCount > 1 {
            try await console.report(warning: "the disk cache failed for \(storeFailureCount - 1) more")
        }
        return .combined(statuses)
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

    /// Loads one image and writes it where that is asked for.
    private func report(_ item: Item) async throws -> LoadReport {
        let start = ContinuousClock.now
        let request = command.request(for: item.address)
        defer { session.observer.finished(request?.url) }
        do {
            guard let request else {
                throw CommandError(
                    .invalidURL,
                    detail: "neither a URL nor a path; percent-encode special characters"
                )
            }
            let loaded = try await session.pipeline.load(request)
            var report = LoadReport(address: item.address, elapsed: .now - start)
            report.describe(loaded)
            report.storeFailure = session.observer.takeStoreFailure(of: request.url)
            if item.isFirstPass { try await write(loaded.image, request, item.index, &report) }
            return report
        } catch let error where !(error is CancellationError) {
            if let request { session.forgetBody(of: request) }
            var report = LoadReport(address: item.address, elapsed: .now - start)
            report.fail(error)
            return report
        }
    }

    private func write(_ image: Image, _ request: ImageRequest, _ index: Int, _ report: inout LoadReport)
        async throws
    {
        guard let writer else { return }
        do {
            try await writer.write(image, of: request, at: index)
        } catch let error where !(error is CancellationError) {
            report.fail(error)
        }
    }
}

extension LoadReport {
    fileprivate mutating func describe(_ loaded: LoadedImage) {
        source = loaded.source
        size = loaded.image.size
        format = loaded.image.format
        byteCount = loaded.image.metadata.encodedByteCount
        frameCount = loaded.image.animation?.frameCount ?? 1
    }

    fileprivate mutating func fail(_ error: any Error) {
        self.error = ErrorText.describe(error)
        status = ErrorText.status(for: error)
    }
}
