import CBaselines
import Calotype
import Foundation
import TestMaterial

/// Photographs made 400 pixels wide, upright and in sRGB, against `vips_thumbnail_buffer`.
///
/// One thread on both sides: Calotype runs libvips, which it has for resampling, in one as well.
enum ThumbnailRows {
    static let all =
        [
            row("thumbnail-jpeg", "JPEG of 12 MP") { try SamplePictures.largeJPEG() },
            error("thumbnail-jpeg-error", "JPEG of 12 MP") { try SamplePictures.largeJPEG() },
            error("thumbnail-png-error", "PNG of 3 MP") { try SamplePictures.png() },
            error("thumbnail-webp-error", "WebP of 10 MP") { try SamplePictures.webP() },
        ]
        + SharedCorpus.photographs.map { file in
            let name = file.deletingPathExtension().lastPathComponent
            return row("thumbnail-\(name.prefix { $0 != "_" })", name) { try Data(contentsOf: file) }
        }

    private static let width = 400
    private static let options = DecodeOptions(target: .fit(PixelBox(width: width)))

    private static func row(
        _ name: String,
        _ title: String,
        file: @escaping @Sendable () throws -> Data
    ) -> Row {
        Row(
            name,
            "\(title) to \(width) px wide; vips_thumbnail_buffer, one thread",
            in: .milliseconds,
            .ratioAtMost(0.9)
        ) {
            let file = try file()
            let converts = try hasColorProfile(file)
            return Contest(
                ours: { count in
                    for _ in 0..<count { use(try CodecRegistry.standard.decode(file, options: options)) }
                },
                baseline: { count in
                    for _ in 0..<count { use(try thumbnail(of: file, converts: converts)) }
                }
            )
        }
    }

    /// Without a profile the library is spared the way through one.
    private static func hasColorProfile(_ file: Data) throws -> Bool {
        try CodecRegistry.standard.info(of: file).hasColorProfile
    }

    private static func thumbnail(of file: Data, converts: Bool) throws -> BaselinePicture {
        var picture = cb_picture()
        let isDone = file.withUnsafeBytes { bytes in
            cb_vips_thumbnail(
                bytes.bindMemory(to: UInt8.self).baseAddress,
                bytes.count,
                Int32(width),
                converts ? 1 : 0,
                &picture
            )
        }
        guard isDone == 1 else { throw Skipped("libvips makes no thumbnail of the picture") }
        return BaselinePicture(picture)
    }

    // MARK: - Error

    /// How far both sides are off a full decode that is reduced by Lanczos 3 in one step.
    private static func error(
        _ name: String,
        _ title: String,
        file: @escaping @Sendable () throws -> Data
    ) -> Row {
        Row(
            name,
            "mean difference of the thumbnail from full decode + Lanczos 3, of 255, \(title); the same",
            counted: .percent,
            .ratioAtMost(1)
        ) {
            let file = try file()
            let whole = try CodecRegistry.standard.decode(file)
            // libvips mixes levels.
            var encoded = options
            encoded.light = .encoded
            let ours = try CodecRegistry.standard.decode(file, options: encoded)
            let theirs = try thumbnail(of: file, converts: hasColorProfile(file))
            let difference = try reduced(whole, to: ours.size).meanDifference(from: ours)
            let baseline = try reduced(whole, to: theirs.size).meanDifference(from: theirs)
            return Figures(ours: difference / 2.55, baseline: baseline / 2.55)
        }
    }

    private static func reduced(_ image: Image, to size: PixelSize) throws -> BaselinePicture {
        var picture = cb_picture()
        let isDone = image.withBaselinePicture { whole in
            cb_vips_reduce(whole, UInt32(size.width), UInt32(size.height), &picture)
        }
        guard isDone == 1 else { throw Skipped("libvips does not reduce the picture") }
        return BaselinePicture(picture)
    }
}
