import ArgumentParser
import CalotypeCodecs
import CalotypeCore
import CalotypeLoading
import CalotypeSupport

/// `calotype info`: prints the header of a file.
struct InfoCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "info",
        abstract: "Prints the headers of image files, without decoding.",
        discussion: """
            --json adds density, profile name, chroma subsampling, pages, durations of frames, and the Exif \
            fields with the position of the camera.
            """
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
            var report = InfoReport(path: shown, info: info)
            report.details = codecs.details(of: data)
            if info.frameCount > 1 {
                do {
                    report.frameDurations = try await BlockingPool.command.runDecode(of: data, limits) {
                        try codecs.frameDurations(of: data, limits: limits)
                    }
                } catch is DecodeError {
                    // The header is valid; `decode` reports that the first frame is not.
                }
            }
            return report
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
    var details: ImageDetails?
    var frameDurations: [Duration] = []
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
            ("pages", details.map { .count($0.pageCount) }),
            ("densityX", (details?.density).map { .number($0.horizontal) }),
            ("densityY", (details?.density).map { .number($0.vertical) }),
            ("profileName", (details?.profileName).map { .text($0) }),
            ("chromaSubsampling", (details?.chromaSubsampling).map { .text($0.rawValue) }),
        ])
        .adding("frameDurationsMs", frameDurations.isEmpty ? nil : .list(durationValues))
        .adding("exif", (details?.exif).map { .group($0.members) })
        .withError(error)
    }

    private var durationValues: [Record.Value] { frameDurations.map { .number($0.milliseconds) } }
}

extension Exif {
    /// The fields, by their names in the library.
    fileprivate var members: [Record.Member] {
        let texts: [(String, String?)] = [
            ("cameraMake", cameraMake), ("cameraModel", cameraModel), ("lensMake", lensMake),
            ("lensModel", lensModel), ("software", software), ("captureDate", captureDate?.description),
        ]
        let numbers: [(String, Double?)] = [
            ("exposureTime", exposureTime), ("fNumber", fNumber), ("isoSpeed", isoSpeed.map(Double.init)),
            ("focalLength", focalLength),
            ("focalLengthIn35mmFilm", focalLengthIn35mmFilm.map(Double.init)),
            ("orientation", orientation.map { Double($0.rawValue) }),
        ]
        let position = location.map { location in
            Record.Value.group([
                Record.Member(name: "latitude", value: .number(location.latitude)),
                Record.Member(name: "longitude", value: .number(location.longitude)),
                Record.Member(name: "altitude", value: location.altitude.map { .number($0) }),
            ])
        }
        return texts.map { Record.Member(name: $0.0, value: $0.1.map { .text($0) }) }
            + numbers.map { Record.Member(name: $0.0, value: $0.1.map { .number($0) }) }
            + [Record.Member(name: "location", value: position)]
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
