import ArgumentParser
import CalotypeCodecs
import CalotypeCore
import CalotypeSupport
import CalotypeTransforms
import Foundation

/// `calotype convert`: one image file into another.
struct ConvertCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "convert",
        abstract: "Converts an image file into the format that the output's extension names.",
        discussion: """
            The image is turned upright, its colours are converted to sRGB, and it is made smaller where \
            --width or --height asks for it, never larger. Then the steps of --transform are applied. An \
            animation stays one where the output's format has animations and every step applies to each \
            frame; else its first frame is written.
            """
    )

    private static let pool = BlockingPool(width: 1)

    @Argument(help: ArgumentHelp("The image file to read.", valueName: "in"), completion: .file())
    var input: String

    @Argument(help: ArgumentHelp("The image file to write.", valueName: "out"), completion: .file())
    var destination: String

    @OptionGroup var encoding: EncodingOptions

    @Flag(help: "Change no pixel; refused for formats that cannot.")
    var lossless = false

    @Option(
        name: .customLong("max-bytes"),
        help: "The most bytes of the result; the quality is lowered until it fits."
    )
    var byteCountMax: Int?

    @OptionGroup var size: SizeOptions
    @OptionGroup var transforms: TransformOptions
    @OptionGroup var cache: CacheOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard FormatName(extensionOf: destination) != nil else {
            throw ValidationError(
                "The extension of “\(destination)” names no image format, such as .png or .jpg."
            )
        }
        guard (byteCountMax ?? 1) >= 1 else { throw ValidationError("--max-bytes is at least 1.") }
    }

    func execute(_ console: Console) async throws -> ProgramStatus {
        let start = ContinuousClock.now
        var report = LoadReport(address: input)
        do {
            try await convert(&report)
        } catch let error where !(error is CancellationError) {
            report.error = ErrorText.describe(error)
        }
        report.elapsed = .now - start
        if let error = report.error {
            if console.isJSON {
                try await console.write(report.conversionRecord, as: LoadReport.conversionTable)
            }
            try await console.report(error: "\(input): \(error)")
            return .failure
        }
        try await console.write(report.conversionRecord, as: LoadReport.conversionTable)
        return .success
    }

    private func convert(_ report: inout LoadReport) async throws {
        let options = DecodeOptions(target: PixelBox.target(size.box, mode: .fit))
        let chain = try await transforms.chain()
        let data = try await FileBytes.read(input, limits: options.limits)
        let image = try await Self.pool.runDecode(of: data, options.limits) {
            try Self.image(data, options, chain)
        }
        let settings = EncoderSettings(
            quality: encoding.quality,
            isLossless: lossless,
            byteCountMax: byteCountMax
        )
        let format = FormatName(extensionOf: destination)?.format
        let encoded = try await settings.encode(image, as: format, codecs: .standard)
        try await OutputFile.write(encoded.data, to: destination)
        report.describe(encoded.data, encoded.info)
    }
}

extension ConvertCommand {
    /// The transformed image, decoded no larger than its transforms need it; blocks.
    private static func image(
        _ data: Data,
        _ options: DecodeOptions,
        _ chain: TransformChain
    ) throws -> Image {
        let codecs = CodecRegistry.standard
        guard options.target == .full, !chain.decodeGeometry.isEmpty else {
            return try chain.apply(to: try codecs.decode(data, options: options))
        }
        let plan = try chain.decodePlan(for: try codecs.info(of: data, limits: options.limits).displaySize)
        var options = options
        options.target = plan.target
        let image = try codecs.decode(data, options: options)
        return try plan.transforms(forDecoded: image.size).apply(to: image)
    }
}

extension LoadReport {
    /// What a conversion tells: size, format and bytes are those of the result.
    fileprivate var conversionRecord: Record {
        Record(record.fields.filter { $0.name != "source" })
    }

    fileprivate static let conversionTable = Table(columns: table.columns.filter { $0.field != "source" })
}
