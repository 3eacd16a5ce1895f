import CalotypeCodecs
import CalotypeCore
import Testing

/// An encoder, and how it is created with the options of a test.
struct EncoderSample: Sendable, CustomTestStringConvertible {
    let name: String
    let encoder: @Sendable (EncodeOptions) -> any ImageEncoder

    init(_ name: String, _ encoder: @escaping @Sendable (EncodeOptions) -> any ImageEncoder) {
        self.name = name
        self.encoder = encoder
    }

    var testDescription: String { name }

    static let lossless = [
        EncoderSample("png") { PNGEncoder(options: $0) },
        EncoderSample("bmp") { BMPEncoder(options: $0) },
        EncoderSample("ico") { ICOEncoder(options: $0) },
        EncoderSample("tiff") { TIFFEncoder(compression: .none, options: $0) },
        EncoderSample("tiff lzw") { TIFFEncoder(compression: .lzw, options: $0) },
        EncoderSample("tiff deflate") { TIFFEncoder(compression: .deflate, options: $0) },
        EncoderSample("webp lossless") { WebPEncoder(isLossless: true, options: $0) },
        EncoderSample("jxl lossless") { JPEGXLEncoder(isLossless: true, effort: 1, options: $0) },
        EncoderSample("avif lossless") { AVIFEncoder(isLossless: true, speed: 9, options: $0) },
        EncoderSample("heic lossless") { HEICEncoder(isLossless: true, options: $0) },
    ]

    static let all =
        lossless + LossySample.all.map(\.standard) + [EncoderSample("gif") { GIFEncoder(options: $0) }]
}

/// An encoder with a quality, and the requirements for it.
struct LossySample: Sendable, CustomTestStringConvertible {
    let name: String
    var size = PixelSize(width: 161, height: 97)
    /// Increasing qualities that differ in size and pixels.
    var qualities = [10, 60, 95]
    /// A byte count below that of each quality.
    var unreachable = 100
    /// A high quality, a low one, and the share of the byte limit that is used when the limit is the byte
    /// count of the low one; all of it where each quality is tried.
    var fit: (high: Int, low: Int, percent: Int)? = (90, 40, 80)
    let encoder: @Sendable (Int, EncodeOptions) -> any ImageEncoder

    var testDescription: String { name }

    /// The encoder with its default quality.
    var standard: EncoderSample { EncoderSample(name) { encoder(80, $0) } }

    static let all = [
        LossySample(name: "jpeg", qualities: [10, 50, 95], unreachable: 200, fit: (88, 41, 100)) {
            JPEGEncoder(quality: $0, options: $1)
        },
        LossySample(name: "webp", qualities: [5, 50, 95], unreachable: 60, fit: (88, 41, 100)) {
            WebPEncoder(quality: $0, options: $1)
        },
        LossySample(name: "avif", size: PixelSize(width: 61, height: 47)) {
            AVIFEncoder(quality: $0, speed: 9, options: $1)
        },
        LossySample(name: "heic", size: PixelSize(width: 61, height: 47)) {
            HEICEncoder(quality: $0, options: $1)
        },
        LossySample(
            name: "jxl",
            size: PixelSize(width: 120, height: 80),
            qualities: [0, 20, 50, 75, 90, 100],
            unreachable: 60,
            fit: nil
        ) { JPEGXLEncoder(quality: $0, options: $1) },
        LossySample(name: "tiff jpeg", size: PixelSize(width: 120, height: 80), fit: (90, 40, 90)) {
            TIFFEncoder(compression: .jpeg(quality: $0), options: $1)
        },
    ]
}
