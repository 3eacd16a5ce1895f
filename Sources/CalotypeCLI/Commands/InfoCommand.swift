import ArgumentParser
import CalotypeCodecs
import CalotypeCore
import CalotypeLoading
import CalotypeSupport

/// `calotype info`: prints the header of a file.
struct InfoCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "info",
        abstract: "Prints the headers of image files, without decoding."
    )

    @Argument(help: ArgumentHelp("Files; “-” is standard input.", valueName: "file"), completion: .file())
    var paths: [String]

    @Flag(name: .shortAndLong, help: "Read the images in folders and subfolders.")
    var recursive = false

    @OptionGroup var sandbox: SandboxOptions
    @OptionGroup var output: OutputOptions

    func execute(_ console: Console) async throws -> CommandExitCode {
        var status = CommandExitCode.success
        let codecs = try await sandbox.codecs(console)
        let sources = try await BatchSource.all(paths, isRecursive: recursive)
        try await OrderedWork.run(sources, maxConcurrency: BlockingPool.command.width) { source in
            try await Self.report(on: source, codecs)
        } deliver: { report in
            if report.error == nil || console.isJSON {
                try await console.write(report.record, as: InfoReport.table)
            }
            if let error = report.error {
                status = .failure
                try await console.report(error: "\(report.path): \(error)")
            }
        }
        return status
    }

    private static func report(on source: BatchSource, _ codecs: CodecRegistry) async throws -> InfoReport {
        let (path, shown) = (source.address, await BlockingPool.command.run { source.shownAddress })
        do {
            let limits = DecodeLimits()
            let data = try await FileBytes.read(path, limits: limits)
            let info = try await BlockingPool.command.runDecode(of: data, limits) {
                try codecs.info(of: data, limits: limits)
            }
            return InfoReport(path: shown, info: info)
        } catch let error where !(error is CancellationError) {
            let hint = error is FetchError ? await InputHint.forFile(path) : nil
            let text = [ErrorText.describe(error, of: path, shownAs: shown), hint].compactMap { $0 }.joined(
                separator: "; "
            )
            return InfoReport(path: shown, error: text)
        }
    }
}

/// The header of one file, or the error.
struct InfoReport: Sendable {
    let path: String
    var info: ImageInfo?
    var error: String?

    static let table = Table(columns: [
        .init("FORMAT", "format", width: 6),
        .init("WIDTH", "width", width: 5, alignsRight: true),
        .init("HEIGHT", "height", width: 6, alignsRight: true),
        .init("FRAMES", "frames", width: 6, alignsRight: true),
        .init("TURN", "orientation", width: 4, alignsRight: true),
        .init("ALPHA", "hasAlpha", width: 5),
        .init("PROFILE", "hasColorProfile", width: 7),
        .init("BITS", "bitDepth", width: 4, alignsRight: true),
        .init("RANGE", "dynamicRange", width: 8),
        .init("PIXELS", "pixelFormat", width: 6),
        .init("FILE", "path", width: 0),
    ])

    var record: Record {
        Record([
            ("path", .text(path)),
            ("format", info.map { .text($0.format.rawValue) }),
            ("width", info.map { .count($0.size.width) }),
            ("height", info.map { .count($0.size.height) }),
            ("orientation", info.map { .count($0.orientation.rawValue) }),
            ("displayWidth", info.map { .count($0.displaySize.width) }),
            ("displayHeight", info.map { .count($0.displaySize.height) }),
            ("frames", info.map { .count($0.frameCount) }),
            ("loopCount", (info?.loopCount).map { .count($0.number) }),
            ("animationMs", (info?.animationDuration).map { .milliseconds($0.milliseconds) }),
            ("hasAlpha", info.map { .flag($0.hasAlpha) }),
            ("hasColorProfile", info.map { .flag($0.hasColorProfile) }),
            ("bitDepth", info.map { .count($0.bitDepth) }),
            ("dynamicRange", info.map { .text($0.dynamicRange.rawValue) }),
            ("pixelFormat", info.map { .text($0.pixelFormat.rawValue) }),
        ]).withError(error)
    }
}

extension LoopCount {
    /// The number as files write it: 0 for endless.
    fileprivate var number: Int {
        switch self {
        case .infinite: 0
        case .times(let count): count
        }
    }
}
