import ArgumentParser
import CalotypeCodecs
import CalotypeCore
import CalotypeSupport
import CalotypeTransforms
import Foundation

struct ConvertCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "convert",
        abstract: "Converts image files to the format of --format or of the output's extension.",
        discussion: """
            calotype convert IN OUT
            calotype convert IN… --output FOLDER/ [--format webp]
            calotype convert --recursive FOLDER --output FOLDER/

            An input is never overwritten, and another file only with --overwrite. Without --output, the \
            last argument is the output, and must not exist.

            “-” is standard input or output; standard output needs --format. Without --format and an \
            extension, each image keeps its own format.

            The image is turned upright, converted to sRGB, and scaled down to --width and --height, never \
            up. Then the steps of --transform are applied. An animation remains one if the output's format \
            supports animations and every step applies to each frame; else its first frame is written.

            Only pixels are written: Exif with the camera, the date and the position (GPS), XMP and IPTC are \
            removed. --keep-copyright keeps the author and the copyright, --keep-dates the dates of the file.
            """
    )

    @Argument(
        help: ArgumentHelp(
            "Image files, or folders with --recursive; without --output, the last is the output.",
            valueName: "file"
        ),
        completion: .file()
    )
    var paths: [String]

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: "Output file, or a folder for any number of images.",
        completion: .file()
    )
    var destination: String?

    @Option(name: .shortAndLong, help: "Output format.")
    var format: FormatName?

    @OptionGroup var batch: BatchOptions
    @OptionGroup var encoding: EncodingOptions

    @Flag(help: "Copy the modification and access dates of each input to its output.")
    var keepDates = false

    @OptionGroup var size: SizeOptions
    @OptionGroup var transforms: TransformOptions
    @OptionGroup var sandbox: SandboxOptions
    @OptionGroup var output: OutputOptions

    private var inputs: [String] { destination == nil ? paths.dropLast() : paths }

    private var outputPath: String { destination ?? paths.last ?? "" }

    var writesImageToOutput: Bool { OutputFile.isStandardOutput(outputPath) }

    func validate() throws {
        guard !inputs.isEmpty else { throw ValidationError("There is no output; write IN OUT or --output.") }
        guard !outputPath.isEmpty else { throw ValidationError("--output must not be empty.") }
        guard inputs.count == 1 || !writesImageToOutput else {
            throw ValidationError("Standard output takes one image; use --output FOLDER/ for several.")
        }
        guard format != nil || !writesImageToOutput else {
            throw ValidationError("Standard output needs --format.")
        }
        try OutputTarget.checkExtension(of: outputPath, against: format?.format)
        guard destination == nil, format == nil, !outputPath.hasSuffix("/"),
            FormatName(extensionOf: outputPath) == nil
        else { return }
        throw Self.unknownExtension(outputPath)
    }

    func execute(_ console: Console) async throws -> CommandExitCode {
        try await BlockingPool.command.run { try checkLastArgument() }
        let sources = try await BatchSource.all(inputs, isRecursive: batch.recursive, besides: [outputPath])
        let target = try await BlockingPool.command.run {
            try OutputTarget(
                outputPath,
                sources: sources,
                template: batch.template,
                isRecursive: batch.recursive,
                format: ResultFormat(requested: format?.format, own: .encoded)
            )
        }
        if case .file = target, format == nil, target.format == nil {
            throw Self.unknownExtension(outputPath)
        }
        let note = await BlockingPool.command.run { target.note(for: format?.format) }
        let writer = await OutputWriter(protecting: sources.map(\.address), existing: batch.existing)
        await writer.protect(transforms.picturePaths)
        let chain = try await transforms.chain()
        let codecs = try await sandbox.codecs(console)
        let run = ConvertRun(
            command: self,
            sources: sources,
            target: target,
            writer: writer,
            chain: chain,
            codecs: codecs,
            console: console
        )
        let result = await Result { () async throws -> CommandExitCode in
            try await target.prepare(by: writer)
            return try await run.run()
        }
        guard case .success(.success) = result else {
            await writer.removeEmptyFolders()
            return try result.get()
        }
        if let note { try await console.report(warning: note) }
        return .success
    }

    private static func unknownExtension(_ path: String) -> ValidationError {
        ValidationError(
            "The extension of “\(path)” is not that of a supported output format, such as .png or .jpg; "
                + "for a folder use --output FOLDER/."
        )
    }

    /// Rejects an output that may have been meant as an input, such as the last file of `*.jpg`; blocks.
    private func checkLastArgument() throws {
        guard destination == nil, OutputFile.descriptor(of: outputPath) == nil else { return }
        let kind = FileStatus(at: outputPath)?.kind
        if kind == nil, let target = FileLocation.linkTarget(outputPath) {
            throw ValidationError("“\(outputPath)”: \(OutputFile.danglingLink(to: target)).")
        }
        guard kind != .pipe, kind != .device else { return }
        guard kind != nil else { return }
        let meant = kind == .folder ? "--output \(outputPath)" : "--output \(outputPath) --overwrite"
        throw ValidationError(
            "“\(outputPath)” exists, and without --output the last argument is the output. To convert it "
                + "too, name an output with --output; to write to it, use \(meant)."
        )
    }
}
