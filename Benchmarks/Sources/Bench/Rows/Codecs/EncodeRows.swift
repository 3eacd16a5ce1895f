import CBaselines
import Calotype
import Foundation

/// Encoders against the library that does the work, with the same settings.
///
/// The files are as large on both sides, give or take a hundredth; but for GIF, where the library has a
/// quantizer of its own.
enum EncodeRows {
    static let all = [
        row("encode-jpeg", "JPEG, quality 80; tjCompress2", JPEGEncoder(quality: 80), cb_jpeg_encode, 80),
        row("encode-png", "PNG, level 6; libpng", PNGEncoder(), cb_png_encode, 6, width: 800),
        row("encode-webp", "WebP, quality 80; WebPEncode", WebPEncoder(), cb_webp_encode, 80, width: 800),
        row(
            "encode-webp-lossless",
            "lossless WebP, effort 1; WebPEncode",
            WebPEncoder(isLossless: true, effort: 1),
            cb_webp_encode_lossless,
            1,
            width: 800
        ),
        row(
            "encode-gif",
            "GIF, 256 colours, not dithered; giflib with GifQuantizeBuffer",
            GIFEncoder(dithers: false),
            cb_gif_encode,
            256,
            hasOwnSize: true,
            width: 800
        ),
        gifError,
        // A quality of 60 is a quantizer of 25.
        row(
            "encode-avif",
            "AVIF, quality 60, speed 10; libavif",
            AVIFEncoder(quality: 60, speed: 10),
            cb_avif_encode,
            25,
            width: 800
        ),
        row(
            "encode-jxl",
            "JPEG XL, distance 1, effort 3; libjxl",
            JPEGXLEncoder(quality: 90, effort: 3),
            cb_jxl_encode,
            100,
            width: 800
        ),
        row("encode-tiff", "TIFF, LZW; libtiff's strips", TIFFEncoder(), cb_tiff_encode, 5),
    ]

    private static func row(
        _ name: String,
        _ title: String,
        _ encoder: some ImageEncoder,
        _ baseline: @escaping cb_encoder,
        _ setting: Int32,
        hasOwnSize: Bool = false,
        width: Int = 1600
    ) -> Row {
        Row(name, "encoding a photograph \(width) px wide, \(title)", in: .milliseconds, .ratioAtMost(1.1)) {
            let image = try SamplePictures.image(width: width)
            let size = Double(try encoder.encode(image).count)
            let baselineSize = Double(try encode(image, baseline, setting).count)
            guard hasOwnSize || abs(size / baselineSize - 1) < 0.01 else {
                throw Skipped("the two sides make files of \(size.plain) and \(baselineSize.plain) bytes")
            }
            return Contest(
                ours: { count in for _ in 0..<count { use(try encoder.encode(image)) } },
                baseline: { count in for _ in 0..<count { use(try encode(image, baseline, setting)) } }
            )
        }
    }

    private static func encode(_ image: Image, _ encoder: cb_encoder, _ setting: Int32) throws -> Data {
        var file = cb_file()
        guard image.withBaselinePicture({ encoder($0, setting, &file) }) == 1, let bytes = file.bytes else {
            throw Skipped("the baseline does not encode the picture")
        }
        return Data(bytesNoCopy: bytes, count: file.count, deallocator: .free)
    }

    /// The quality that the time for GIF buys.
    private static let gifError = Row(
        "encode-gif-error",
        "mean difference of the GIF from the photograph, of 255; that of giflib's",
        counted: .percent,
        .ratioAtMost(1)
    ) {
        let image = try SamplePictures.image(width: 800)
        let ours = try CodecRegistry.standard.decode(GIFEncoder(dithers: false).encode(image))
        let theirs = try CodecRegistry.standard.decode(encode(image, cb_gif_encode, 256))
        return Figures(
            ours: try image.meanDifference(from: ours) / 2.55,
            baseline: try image.meanDifference(from: theirs) / 2.55
        )
    }
}
