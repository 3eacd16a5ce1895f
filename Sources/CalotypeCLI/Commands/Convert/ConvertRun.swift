import CalotypeCodecs
import CalotypeCore
import CalotypeLoading
import CalotypeSupport
import CalotypeTransforms
import Foundation

/// Converts the images of a batch.
struct ConvertRun: Sendable {
    let command: ConvertCommand
    let sources: [BatchSource]
    let target: OutputTarget
    let writer: OutputWriter
    let chain: TransformChain
    let codecs: CodecRegistry
    let console: Console

    /// Converts all images; an image that fails is reported and does not affect the others.
    func run() async throws -> CommandExitCode {
        let progress = ConvertProgress(
            ProgressBar(console, totalCount: sources.count),
            isShown: sources.count > 1
        )
        let batch = BatchRun(
            console: console,
            table: ConversionReport.table,
            maxConcurrency: command.batch.concurrency ?? BlockingPool.coreCount,
            concludes: sources.count > 1,
            writesFiles: true,
            readByteCount: { progress.readByteCount },
            interruptHint: target.interruptHint,
            endProgress: { progress.end() }
        )
        let summary = BatchSummary("conversion", "conversions", labels: ["written"])
        let repeated = Set(
            sources.indices.map(target.original(of:)).enumerated().filter { $0 != $1 }.map(\.1)
        )
        var finished: [Int: ConversionReport] = [:]
        return try await batch.run([Array(sources.indices)], countedIn: summary) { index in
            try await report(on: index, progress)
        } willReport: { report in
            if repeated.contains(report.index) { finished[report.index] = report }
            // Reports come in list order, so the first one is finished.
            if report.original != report.index, let original = finished[report.original] {
                report = report.with(resultOf: original)
            }
        }
    }

    private func report(on index: Int, _ progress: ConvertProgress) async throws -> ConversionReport {
        let start = ContinuousClock.now
        let source = sources[index]
        let address = await BlockingPool.command.run { source.shownAddress }
        var report = ConversionReport(address: address, index: index, original: target.original(of: index))
        defer { progress.noteEnd() }
        guard report.original == index else { return report }
        do {
            try await convert(index, &report, progress)
        } catch let error where !(error is CancellationError) {
            report.error = ErrorText.describe(error, of: source.address, shownAs: address)
            if error is FetchError, let hint = await InputHint.forFile(source.address) {
                report.error?.append("; " + hint)
            }
        }
        report.elapsed = .now - start
        return report
    }

    private func convert(_ index: Int, _ report: inout ConversionReport, _ progress: ConvertProgress)
        async throws
    {
        let source = sources[index]
        let format = command.format?.format ?? target.format
        let mayGuess = command.batch.skipExisting
        let expected = await BlockingPool.command.run {
            target.expectedPath(at: index, of: source, mayGuess: mayGuess)
        }
        if let path = expected, try await writer.skips(path, of: target.identity(at: index)) {
            (report.path, report.isSkipped) = (path, true)
            return
        }
        let options = DecodeOptions(target: PixelBox.target(command.size.box, mode: .fit))
        let data = try await FileBytes.read(source.address, limits: options.limits)
        progress.noteRead(data.count)
        let image = try await BlockingPool.command.runDecode(of: data, options.limits) {
            try transformed(data, options)
        }
        let own = format ?? FormatName.own(image.format)
        let encoded = try await command.encoding.settings.encode(image, as: own, codecs: codecs)
        let dates = command.keepDates ? await BlockingPool.command.run { FileDates(of: source.address) } : nil
        let (path, outcome) = try await target.write(
            encoded.data,
            encoded.info,
            at: index,
            by: writer,
            dates: dates
        )
        report.path = path
        report.isSkipped = outcome == .skipped
        guard outcome == .written else { return }
        (report.info, report.byteCount) = (encoded.info, encoded.data.count)
    }

    /// Returns the transformed image, decoded no larger than its transforms need; blocks.
    private func transformed(_ data: Data, _ options: DecodeOptions) throws -> Image {
        guard options.target == .full, !chain.decodeGeometry.isEmpty else {
            return try chain.apply(to: try codecs.decode(data, options: options), at: codecs.transformPlace)
        }
        let info = try codecs.info(of: data, limits: options.limits)
        let plan = try chain.decodePlan(for: info.displaySize, isDrawn: info.format == .svg)
        let image = try codecs.decode(data, options: plan.options(options))
        return try plan.transforms(forDecoded: image.size).apply(to: image, at: codecs.transformPlace)
    }
}

final class ConvertProgress: Sendable {
    private let bar: ProgressBar
    private let isShown: Bool
    private let byteCount = Guarded(0)

    init(_ bar: ProgressBar, isShown: Bool) {
        (self.bar, self.isShown) = (bar, isShown)
        if isShown { bar.update { _ in } }
    }

    var readByteCount: Int { byteCount.withLock { $0 } }

    func noteRead(_ count: Int) {
        byteCount.withLock { $0 += count }
    }

    /// Counts an image as done, whether it succeeded or failed.
    func noteEnd() {
        guard isShown else { return }
        let count = readByteCount
        bar.update { line in
            line.doneCount += 1
            line.receivedByteCount = count
        }
    }

    func end() {
        if isShown { bar.finish() }
    }
}
