import ArgumentParser
import CalotypeCodecs
import CalotypeCore

/// The options of encoders.
struct EncodingOptions: ParsableArguments {
    @Option(
        name: .shortAndLong,
        parsing: .unconditional,
        help: "The quality for formats that have one, 0...100; 90 for JPEG unless given."
    )
    var quality: Int?

    @Flag(help: "Change no pixel; refused for formats that cannot.")
    var lossless = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "From 0, the fastest, to 9, the smallest result, for formats that have a choice.",
            discussion: "These are PNG, WebP, AVIF and JPEG XL; each has a default of its own."
        )
    )
    var effort: Int?

    @Flag(help: "Show the whole picture early while it arrives: JPEG and PNG; refused for other formats.")
    var progressive = false

    @Option(
        help: ArgumentHelp(
            "What shows through in a format without alpha: f80, ff8800, black; white unless given.",
            valueName: "color"
        ),
        completion: .list(["white", "black"])
    )
    var background: OpaqueColorArgument?

    @Option(
        name: .customLong("max-bytes"),
        parsing: .unconditional,
        help: ArgumentHelp(
            "The most bytes of a result, such as 200kB; the quality is lowered until it fits.",
            valueName: "bytes"
        )
    )
    var byteCountMax: ByteCountArgument?

    @Flag(help: "Keep the author and the copyright (Exif) in JPEG, PNG, WebP and AVIF; all else is removed.")
    var keepCopyright = false

    func validate() throws {
        guard (0...100).contains(quality ?? 0) else { throw ValidationError("--quality is 0...100.") }
        guard EncodeAdjustment.effortRange.contains(effort ?? 0) else {
            throw ValidationError("--effort is 0...9.")
        }
        guard (byteCountMax?.count ?? 1) >= 1 else { throw ValidationError("--max-bytes is at least 1.") }
    }

    /// The settings of the encoder.
    var settings: EncoderSettings {
        EncoderSettings(
            adjustment: EncodeAdjustment(
                quality: quality,
                isLossless: lossless,
                effort: effort,
                isProgressive: progressive,
                background: background?.color,
                byteCountMax: byteCountMax?.count,
                keepsCopyright: keepCopyright
            )
        )
    }
}

/// A colour that nothing shows through, as steps of transforms have it: `f80`, `ff8800`, `white`.
struct OpaqueColorArgument: ExpressibleByArgument, Hashable, Sendable {
    let color: RGBColor

    init?(argument: String) {
        guard let color = ArgumentForm<RGBColor>.opaqueColor.read(argument) else { return nil }
        self.color = color
    }
}
