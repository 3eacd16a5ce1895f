import CBaselines
import Calotype
import Foundation

/// Full decodes against the library that does the work.
///
/// Both sides give the same pixels in the same format, each into fresh memory of the same kind; rows that
/// find other pixels on the other side are not run. Neither side turns the picture nor converts its colours.
enum DecodeRows {
    static let all = [
        row("codec-jpeg", "JPEG of 12 MP; tjDecompress2", 1.03, cb_jpeg_decode) {
            try SamplePictures.largeJPEG()
        },
        row("codec-jpeg-progressive", "progressive JPEG of 6 MP; tjDecompress2", 1.03, cb_jpeg_decode) {
            try SamplePictures.progressiveJPEG()
        },
        row("codec-png", "PNG of 3 MP, RGB; libpng", 1.05, cb_png_decode) {
            try SamplePictures.png()
        },
        row("codec-png-alpha", "PNG of 3 MP, RGBA; libpng", 1.05, cb_png_decode) {
            try SamplePictures.translucentPNG()
        },
        row("codec-webp", "lossy WebP of 10 MP; WebPDecodeRGBInto", 1.05, cb_webp_decode) {
            try SamplePictures.webP()
        },
        row("codec-webp-lossless", "lossless WebP of 1 MP; WebPDecodeRGBInto", 1.05, cb_webp_decode) {
            try SamplePictures.losslessWebP()
        },
        row("codec-gif", "GIF of 1 MP; giflib's DGifSlurp, colours looked up", 1.05, cb_gif_decode) {
            try GIFEncoder().encode(SamplePictures.image(width: 1200))
        },
        row("codec-avif", "AVIF of 2 MP; libavif", 1.05, cb_avif_decode) {
            try AVIFEncoder(speed: 10).encode(SamplePictures.image(width: 1600))
        },
        row("codec-heic", "HEIC of 1 MP; libheif with its own libde265", 1.05, cb_heif_decode) {
            try HEICEncoder().encode(SamplePictures.image(width: 1200))
        },
        row("codec-jxl", "JPEG XL of 2 MP; libjxl", 1.05, cb_jxl_decode) {
            try JPEGXLEncoder(effort: 3).encode(SamplePictures.image(width: 1600))
        },
        row("codec-tiff", "TIFF of 2 MP, LZW; libtiff's strips", 1.05, cb_tiff_decode) {
            try TIFFEncoder().encode(SamplePictures.image(width: 1600))
        },
    ]

    private static func row(
        _ name: String,
        _ title: String,
        _ maxRatio: Double,
        _ decoder: @escaping cb_decoder,
        file: @escaping @Sendable () throws -> Data
    ) -> Row {
        Row(name, "full decode, \(title)", in: .milliseconds, .ratioAtMost(maxRatio)) {
            try contest(file(), decoder)
        }
    }

    private static func contest(_ file: Data, _ decoder: @escaping cb_decoder) throws -> Contest {
        let options = DecodeOptions(appliesOrientation: false, convertsToSRGB: false)
        let image = try CodecRegistry.standard.decode(file, options: options)
        let format = image.pixelFormat
        let difference = try BaselinePicture(file, as: format, by: decoder).meanDifference(from: image)
        // libheif interpolates colours in one of several ways, by the format that it is asked for.
        guard difference < 0.5 else { throw Skipped("the two sides differ by \(difference.plain) levels") }
        return Contest(
            ours: { count in
                for _ in 0..<count { use(try CodecRegistry.standard.decode(file, options: options)) }
            },
            baseline: { count in
                for _ in 0..<count { use(try BaselinePicture(file, as: format, by: decoder)) }
            }
        )
    }
}
