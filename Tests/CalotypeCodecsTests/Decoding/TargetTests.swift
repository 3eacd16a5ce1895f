import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing
import WorkerSupport

@Suite(.blocking, .inBothModes) struct TargetTests {
    static let size = PixelSize(width: 403, height: 251)
    static let photograph = TestImages.photograph(size)

    static func files() throws -> [Data] {
        [
            try PNGEncoder(compressionLevel: 1).tested.encode(photograph),
            try JPEGEncoder().tested.encode(photograph),
            try JPEGEncoder(isProgressive: true, chromaSubsampling: .yuv420).tested.encode(photograph),
        ]
    }

    @Test(arguments: [
        (DecodeOptions.Target.full, PixelSize(width: 403, height: 251)),
        (.fit(PixelBox(width: 100, height: 100)), PixelSize(width: 100, height: 62)),
        (.fit(PixelBox(height: 50)), PixelSize(width: 80, height: 50)),
        (.fit(PixelBox(width: 9000)), PixelSize(width: 403, height: 251)),
        (.fill(PixelBox(width: 100, height: 100)), PixelSize(width: 161, height: 100)),
        (.fill(PixelBox(width: 402, height: 1)), PixelSize(width: 402, height: 250)),
        (.fit(PixelBox(width: 1, height: 1)), PixelSize(width: 1, height: 1)),
        (.fitBytes(4000), PixelSize(width: 40, height: 24)),
    ])
    func `the decoded size follows the target's rule in every codec`(
        target: DecodeOptions.Target,
        size: PixelSize
    )
        throws
    {
        for file in try Self.files() {
            let image = try CodecRegistry.tested.decode(
                file,
                options: DecodeOptions(target: target, scale: 2)
            )
            #expect(image.size == size)
            #expect(image.scale == 2)
        }
    }

    @Test func `a box applies after the orientation`() throws {
        let file = try JPEGEncoder().tested.encode(Self.photograph)
        let turned = jpeg(file, inserting: 0xE1, Data("Exif\0\0".utf8) + exifBlock(orientation: 6))
        var options = DecodeOptions(target: .fit(PixelBox(width: 60)))
        #expect(
            try JPEGDecoder().tested.decode(turned, options: options).size == PixelSize(width: 60, height: 96)
        )
        options.appliesOrientation = false
        #expect(
            try JPEGDecoder().tested.decode(turned, options: options).size == PixelSize(width: 60, height: 37)
        )
    }

    @Test(arguments: [190, 100, 80, 50, 33, 20], [(ResamplingLight.encoded, 32.0), (.linear, 64)])
    func `a scaled decode is near a full decode with resampling`(
        width: Int,
        mixed: (light: ResamplingLight, worst: Double)
    ) throws {
        let photograph = TestImages.photograph(PixelSize(width: 400, height: 248))
        let options = DecodeOptions(target: .fit(PixelBox(width: width)), light: mixed.light)
        for encoder in [JPEGEncoder(), JPEGEncoder(isProgressive: true, chromaSubsampling: .yuv420)] {
            let file = try encoder.encode(photograph)
            let small = try JPEGDecoder().tested.decode(file, options: options)
            let full = try JPEGDecoder().tested.decode(file, options: DecodeOptions())
            let resampled = try Resampler.resize(full, to: small.size, light: mixed.light)
            let difference = small.difference(to: resampled)
            // The decode itself averages levels.
            #expect(difference.mean < 1.2 && Double(difference.worst) < mixed.worst, "\(difference)")
        }
    }

    @Test func `a byte target below one pixel gives one pixel`() {
        for byteCount in [0, -1, -4000, Int.min] {
            let size = DecodeOptions.Target.fitBytes(byteCount).resultSize(
                for: PixelSize(width: 50, height: 30)
            )
            #expect(size == PixelSize(width: 1, height: 1), "\(byteCount)")
        }
    }
}
