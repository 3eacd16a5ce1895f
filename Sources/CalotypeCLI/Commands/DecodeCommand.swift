import ArgumentParser
import CalotypeCodecs
import CalotypeCore
import CalotypeSupport
import Foundation

/// `calotype decode`: decodes one frame of a file.
struct DecodeCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "decode",
        abstract: "Decodes one frame of an image file and writes its pixels.",
        discussion: """
            The extension of the output selects the format. .rgba, and “-”, which is standard output, give \
            rows of 8-bit red, green, blue and alpha, top row first, alpha not premultiplied; .png, .jpg \
            and others give an image file. The digest is that of the raw RGBA. Frames of an animation are \
            composited. Without --frame, the still image of the file is decoded, in most files its first \
            frame.
            """
    )

    @Argument(help: ArgumentHelp("An image file.", valueName: "file"), completion: .file())
    var path: String

    @Option(name: .customLong("frame"), parsing: .unconditional, help: "Frame number, from 0.")
    var frameIndex: Int?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Box that the result must fit within.", valueName: "WxH")
    )
    var fit: FitArgument?

    @Flag(help: "Keep the stored orientation instead of turning upright.")
    var noOrientation = false

    @Flag(help: "Keep the stored colours instead of converting to sRGB.")
    var noColorManagement = false

    @Flag(help: "Write the readable part of a damaged file.")
    var showDamaged = false

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: "Output file; an existing one is replaced only with --overwrite.",
        completion: .file()
    )
    var destination: String

    @OptionGroup var existing: OverwriteOptions
    @OptionGroup var sandbox: SandboxOptions
    @OptionGroup var output: OutputOptions

    var writesImageToOutput: Bool { OutputFile.isStandardOutput(destination) }

    func validate() throws {
        guard (frameIndex ?? 0) >= 0 else { throw ValidationError("--frame must be at least 0.") }
        guard writesRawPixels || FormatName(extensionOf: destination) != nil else {
            throw ValidationError(
                "The extension of --output must be .rgba or that of an image format, such as .png."
            )
        }
    }

    func execute(_ console: Console) async throws -> CommandExitCode {
        var report = DecodeReport(frameIndex: frameIndex ?? 0)
        let shown = await BlockingPool.command.run { [path] in BatchSource(path: path, in: "").shownAddress }
        let writer = await OutputWriter(protecting: [path], existing: existing.existing)
        do {
            _ = try await writer.skips(destination, of: path)
            let codecs = try await sandbox.codecs(console)
            let image = try await decode(by: codecs)
            try await write(image, by: codecs, writer, &report)
            if image.metadata.isPartial {
                try await console.report(warning: "\(shown): damaged; only the readable part is written")
            }
        } catch let error where !(error is CancellationError) {
            report.error = ErrorText.describe(error, of: path, shownAs: shown)
        }
        if let error = report.error {
            if console.isJSON { try await console.write(report.record, as: DecodeReport.table) }
            try await console.report(error: "\(shown): \(error)")
            return .failure
        }
        try await console.write(report.record, as: DecodeReport.table)
        return .success
    }

    private var writesRawPixels: Bool {
        destination.lowercased().hasSuffix(".rgba")
            || writesImageToOutput && FormatName(extensionOf: destination) == nil
    }

    private var options: DecodeOptions {
        DecodeOptions(
            target: fit.map { .fit($0.box) } ?? .full,
            frames: frameIndex == nil ? .first : .all,
            appliesOrientation: !noOrientation,
            convertsToSRGB: !noColorManagement,
            damage: showDamaged ? .allowsPartialImage : .strict
        )
    }

    private func decode(by codecs: CodecRegistry) async throws -> Image {
        let options = options
        let data = try await FileBytes.read(path, limits: options.limits)
        let frameIndex = frameIndex
        return try await BlockingPool.command.runDecode(of: data, options.limits) {
            let image = try codecs.decode(data, options: options)
            guard let frameIndex else { return image }
            let frameCount = image.animation?.frameCount ?? 1
            guard frameIndex < frameCount else {
                throw CommandError(
                    .noSuchFrame,
                    detail: "there is no frame \(frameIndex); \(Self.frames(frameCount))"
                )
            }
            return try image.animation?.decodeFrame(at: frameIndex) ?? image
        }
    }

    private static func frames(_ count: Int) -> String {
        count == 1 ? "the image is a still; its only frame is 0" : "the last of \(count) is \(count - 1)"
    }

    private func write(
        _ image: Image,
        by codecs: CodecRegistry,
        _ writer: OutputWriter,
        _ report: inout DecodeReport
    ) async throws {
        let (pixels, digest) = await BlockingPool.command.run {
            let pixels = image.rgba8()
            var digest = MessageDigest.sha256()
            digest.update(pixels.span)
            return (pixels, digest.finalize().hexadecimalDigits)
        }
        if writesRawPixels {
            try await writer.write(pixels, to: destination)
        } else {
            let format = FormatName(extensionOf: destination)?.format
            let encoded = try await EncoderSettings().encode(image, as: format, codecs: codecs)
            try await writer.write(encoded.data, to: destination)
        }
        report.size = image.size
        report.format = image.format
        report.digest = digest
    }
}

struct DecodeReport: Sendable {
    let frameIndex: Int
    var size: PixelSize?
    var format: ImageFormat?
    /// SHA-256 of the raw RGBA, in hexadecimal.
    var digest: String?
    var error: String?

    static let table = Table(columns: [
        .init("WIDTH", "width", width: 5, alignsRight: true),
        .init("HEIGHT", "height", width: 6, alignsRight: true),
        .init("FORMAT", "format", width: 6),
        .init("FRAME", "frame", width: 5, alignsRight: true),
        .init("SHA-256 OF THE PIXELS", "sha256", width: 64),
    ])

    var record: Record {
        Record([
            ("width", (size?.width).map { .count($0) }),
            ("height", (size?.height).map { .count($0) }),
            ("format", format.map { .text($0.rawValue) }),
            ("frame", .count(frameIndex)),
            ("sha256", digest.map { .text($0) }),
        ]).withError(error)
    }
}
