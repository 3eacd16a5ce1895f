import ArgumentParser
import CalotypeCodecs
import CalotypeCore
import CalotypeSupport
import CalotypeTransforms
import Foundation

/// `calotype convert`: image files into others.
struct ConvertCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "convert",
        abstract: "Converts image files into the format that --format or the output's extension names.",
        discussion: """
            calotype convert IN OUT
            calotype convert IN… --output FOLDER/ [--format webp]

            “-” is standard input or output; to standard output --format says what is written. Without both \
            --format and an extension, each image keeps its own format.

            The image is turned upright, its colours are converted to sRGB, and it is made smaller where \
            --width or --height asks for it, never larger. Then the steps of --transform are applied. An \
            animation stays one where the output's format has animations and every step applies to each \
            frame; else its first frame is written.
            """
    )

    private static let pool = BlockingPool(width: BlockingPool.coreCount)

    @Argument(
        help: ArgumentHelp(
            "Image files to read; without --output the last is to be written.",
            valueName: "file"
        ),
        completion: .file()
    )
    var paths: [String]

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: "The file to write, or a folder for any number.",
        completion: .file()
    )
    var destination: String?

    @Option(name: .shortAndLong, help: "The format to write.")
    var format: FormatName?

    @OptionGroup var encoding: EncodingOptions

    @OptionGroup var size: SizeOptions
    @OptionGroup var transforms: TransformOptions
    @OptionGroup var sandbox: SandboxOptions
    @OptionGroup var output: OutputOptions

    /// What is read.
    private var inputs: [String] { destination == nil ? paths.dropLast() : paths }

    /// What is written.
    private var outputPath: String { destination ?? paths.last ?? "" }

    var writesImageToOutput: Bool { outputPath == OutputFile.standardOutput }

    func validate() throws {
        guard !inputs.isEmpty else { throw ValidationError("There is no output: write IN OUT, or --output.") }
        guard inputs.count == 1 || !writesImageToOutput else {
            throw ValidationError("Standard output takes one image.")
        }
        let target = try LoadTarget(outputPath, addresses: inputs)
        guard case .file = target, format == nil, target.format == nil else { return }
        throw ValidationError(
            writesImageToOutput
                ? "--format says what is written to standard output."
                : "The extension of “\(outputPath)” names no format that is written, such as .png or .jpg."
        )
    }

    func execute(_ console: Console) async throws -> ProgramStatus {
        let target = try LoadTarget(outputPath, addresses: inputs)
        let chain = try await transforms.chain()
        let codecs = try await sandbox.codecs(console)
        try await target.prepare()
        var status = ProgramStatus.success
        let numbered = Array(inputs.enumerated()).map { Input(index: $0.offset, path: $0.element) }
        try await OrderedWork.run(numbered, concurrencyMax: Self.pool.width) { input in
            try await report(on: input, target, chain, codecs)
        } deliver: { report in
            if report.error == nil || console.isJSON {
                try await console.write(report.record, as: ConversionReport.table)
            }
            if let error = report.error {
                status = .failure
                try await console.report(error: "\(report.input): \(error)")
            }
        }
        return status
    }

    /// One of the files, with its number in the list.
    private struct Input: Sendable {
        let index: Int
        let path: String
    }

    private func report(
        on input: Input,
        _ target: LoadTarget,
        _ chain: TransformChain,
        _ codecs: CodecRegistry
    ) async throws -> ConversionReport {
        let start = ContinuousClock.now
        var report = ConversionReport(input: input.path)
        do {
            let encoded = try await converted(
                input.path,
                chain,
                by: codecs,
                as: format?.format ?? target.format
            )
            let path = target.path(at: input.index, format: encoded.info.format)
            try await OutputFile.write(encoded.data, to: path)
            (report.path, report.info, report.byteCount) = (path, encoded.info, encoded.data.count)
        } catch let error where !(error is CancellationError) {
            report.error = ErrorText.describe(error)
        }
        report.elapsed = .now - start
        return report
    }

    private func converted(
        _ path: String,
        _ chain: TransformChain,
        by codecs: CodecRegistry,
        as format: ImageFormat?
    ) async throws -> (data: Data, info: ImageInfo) {
        let options = DecodeOptions(target: PixelBox.target(size.box, mode: .fit))
        let data = try await FileBytes.read(path, limits: options.limits)
        let image = try await Self.pool.runDecode(of: data, options.limits) {
            try Self.image(data, options, chain, codecs)
        }
        let own = format ?? (FormatName(argument: image.format?.rawValue ?? "")?.format)
        return try await encoding.settings.encode(image, as: own, codecs: codecs)
    }
}

extension ConvertCommand {
    /// The transformed image, decoded no larger than its transforms need it; blocks.
    private static func image(
        _ data: Data,
        _ options: DecodeOptions,
        _ chain: TransformChain,
        _ codecs: CodecRegistry
    ) throws -> Image {
        guard options.target == .full, !chain.decodeGeometry.isEmpty else {
            return try chain.apply(to: try codecs.decode(data, options: options), at: codecs.transformPlace)
        }
        let info = try codecs.info(of: data, limits: options.limits)
        let plan = try chain.decodePlan(for: info.displaySize, isDrawn: info.format == .svg)
        var options = options
        options.target = plan.target
        let image = try codecs.decode(data, options: options)
        return try plan.transforms(forDecoded: image.size).apply(to: image, at: codecs.transformPlace)
    }
}

/// What became of one conversion.
struct ConversionReport: Sendable {
    let input: String
    /// Where the result is.
    var path: String?
    /// What its header tells.
    var info: ImageInfo?
    var byteCount: Int?
    var elapsed = Duration.zero
    var error: String?

    init(input: String) {
        self.input = input
    }

    static let table = Table(columns: [
        .init("WIDTH", "width", width: 5, alignsRight: true),
        .init("HEIGHT", "height", width: 6, alignsRight: true),
        .init("FORMAT", "format", width: 6),
        .init("BYTES", "bytes", width: 8, alignsRight: true),
        .init("TIME", "elapsedMs", width: 10, alignsRight: true),
        .init("FILE", "path", width: 0),
    ])

    var record: Record {
        Record([
            ("input", .text(input)),
            ("path", path.map { .text($0) }),
            ("width", (info?.displaySize.width).map { .count($0) }),
            ("height", (info?.displaySize.height).map { .count($0) }),
            ("format", info.map { .text($0.format.rawValue) }),
            ("bytes", byteCount.map { .bytes($0) }),
            ("frames", info.map { .count($0.frameCount) }),
            ("elapsedMs", .milliseconds(elapsed.milliseconds)),
        ]).withError(error)
    }
}
