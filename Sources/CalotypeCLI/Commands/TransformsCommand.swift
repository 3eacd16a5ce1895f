import ArgumentParser
import CalotypeCodecs
import CalotypeCore
import CalotypeSupport

/// `calotype transforms`: lists the steps of `--transform`.
struct TransformsCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "transforms",
        abstract: "Lists the steps of --transform with examples, or draws them on an image.",
        discussion: """
            A step is a name, a colon and arguments separated by commas. A comma is part of a value unless \
            “key=” follows it, so crop:rect=10,10,200,100 has one argument.

            \(TransformGrammar.notation)

            With --sheet, each example is applied to one image, and standard output lists the cells of the \
            sheet. Captions are drawn in the system's sans-serif font; without one they are omitted.
            """
    )

    @Option(
        name: .customLong("sheet"),
        help: ArgumentHelp("Contact sheet to write: each example on one image.", valueName: "out"),
        completion: .file()
    )
    var sheetPath: String?

    @Option(
        name: .customLong("picture"),
        help: ArgumentHelp("Image of the sheet; default: a generated one.", valueName: "file"),
        completion: .file()
    )
    var picturePath: String?

    @OptionGroup var existing: OverwriteOptions
    @OptionGroup var output: OutputOptions

    var writesImageToOutput: Bool { sheetPath.map { OutputFile.isStandardOutput($0) } ?? false }

    func validate() throws {
        if let sheetPath, FormatName(extensionOf: sheetPath) == nil {
            throw ValidationError("The extension of --sheet must be that of an image format, such as .png.")
        }
        guard !existing.overwrite || sheetPath != nil else {
            throw ValidationError("--overwrite has no effect without --sheet.")
        }
        guard picturePath == nil || sheetPath != nil else {
            throw ValidationError("--picture has no effect without --sheet.")
        }
    }

    func execute(_ console: Console) async throws -> CommandExitCode {
        if let sheetPath {
            try await writeSheet(to: sheetPath, console)
        } else {
            for step in TransformGrammar.steps { try await console.write(step.record, as: step.text) }
            try await console.say("\n" + TransformGrammar.notation)
        }
        return .success
    }

    private func writeSheet(to path: String, _ console: Console) async throws {
        let writer = await OutputWriter(
            protecting: [picturePath].compactMap(\.self),
            existing: existing.existing
        )
        _ = try await writer.skips(path, of: "")
        let picture = try await picture()
        let (sheet, image) = try await BlockingPool.command.run {
            let sheet = try TransformSheet(of: picture)
            return (sheet, try sheet.drawn())
        }
        let format = FormatName(extensionOf: path)?.format
        let encoded = try await EncoderSettings().encode(image, as: format, codecs: .standard)
        try await writer.write(encoded.data, to: path)
        for record in sheet.records { try await console.write(record, as: TransformSheet.table) }
    }

    private func picture() async throws -> Image {
        guard let picturePath else { return await BlockingPool.command.run { TransformSheet.drawnPicture() } }
        let options = DecodeOptions(target: .fit(PixelBox(TransformSheet.pictureSize)), frames: .first)
        let data = try await FileBytes.read(picturePath, limits: options.limits)
        return try await BlockingPool.command.run { () throws(DecodeError) in
            try CodecRegistry.standard.decode(data, options: options)
        }
    }
}
