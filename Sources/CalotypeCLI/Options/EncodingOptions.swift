import ArgumentParser
import CalotypeCodecs
import CalotypeCore

struct EncodingOptions: ParsableArguments {
    @Option(
        name: .shortAndLong,
        parsing: .unconditional,
        help: "Quality, 0...100, for formats that have one; default for JPEG: 90."
    )
    var quality: Int?

    @Flag(help: "Lossless encoding; an error for formats without it.")
    var lossless = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Encoding effort, 0 (fastest) to 9 (smallest result), for formats that have one.",
            discussion: "PNG, WebP, AVIF and JPEG XL have one, each with its own default."
        )
    )
    var effort: Int?

    @Flag(help: "Progressive encoding of JPEG and PNG; an error for other formats.")
    var progressive = false

    @Option(
        help: ArgumentHelp(
            "Background for formats without alpha, such as f80, ff8800, black; default: white.",
            valueName: "color"
        ),
        completion: .list(["white", "black"])
    )
    var background: OpaqueColorArgument?

    @Option(
        name: .customLong("max-bytes"),
        parsing: .unconditional,
        help: ArgumentHelp(
            "Maximum bytes of a result, such as 200kB; the quality is lowered until it fits.",
            valueName: "bytes"
        )
    )
    var maxByteCount: ByteCountArgument?

    @Flag(help: "Keep author and copyright (Exif) in JPEG, PNG, WebP and AVIF; remove other metadata.")
    var keepCopyright = false

    func validate() throws {
        guard (0...100).contains(quality ?? 0) else { throw ValidationError("--quality must be 0...100.") }
        guard EncodeAdjustment.effortRange.contains(effort ?? 0) else {
            throw ValidationError("--effort must be 0...9.")
        }
        guard (maxByteCount?.count ?? 1) >= 1 else {
            throw ValidationError("--max-bytes must be at least 1.")
        }
    }

    var settings: EncoderSettings {
        EncoderSettings(
            adjustment: EncodeAdjustment(
                quality: quality,
                isLossless: lossless,
                effort: effort,
                isProgressive: progressive,
                background: background?.color,
                maxByteCount: maxByteCount?.count,
                keepsCopyright: keepCopyright
            )
        )
    }
}

/// An opaque colour, as in transform steps: `f80`, `ff8800`, `white`.
struct OpaqueColorArgument: ExpressibleByArgument, Hashable, Sendable {
    let color: RGBColor

    init?(argument: String) {
        guard let color = ArgumentForm<RGBColor>.opaqueColor.read(argument) else { return nil }
        self.color = color
    }
}
