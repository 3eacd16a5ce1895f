import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing
import WorkerSupport

@Suite(.blocking, .inBothModes) struct SettingRangeTests {
    private static let picture = TestImages.photograph(PixelSize(width: 16, height: 12))

    private static let beyond: [any ImageEncoder] = [
        JPEGEncoder(quality: -1), JPEGEncoder(quality: 101), WebPEncoder(quality: -5), WebPEncoder(effort: 7),
        AVIFEncoder(quality: .max), AVIFEncoder(speed: 11), JPEGXLEncoder(quality: .min),
        JPEGXLEncoder(effort: 0), HEICEncoder(quality: 101), PNGEncoder(compressionLevel: 10),
        GIFEncoder(maxColorCount: 1), TIFFEncoder(compression: .jpeg(quality: -1)),
        PNGEncoder(options: EncodeOptions(maxSize: PixelBox(width: 0))),
        BMPEncoder(options: EncodeOptions(maxSize: PixelBox(height: -3))),
    ]

    @Test(arguments: beyond.indices)
    func `a setting beyond its range is a typed error`(index: Int) {
        let encoder = Self.beyond[index]
        let error = #expect(throws: EncodeError.self) { try encoder.encode(Self.picture) }
        #expect(error?.code == .invalidParameter, "\(encoder)")
    }

    private static let lossy: [any ImageEncoder] = [
        JPEGEncoder(), WebPEncoder(), AVIFEncoder(), JPEGXLEncoder(), HEICEncoder(),
        TIFFEncoder(compression: .jpeg(quality: 80)),
    ]

    @Test(arguments: lossy.indices)
    func `a quality is 0 to 100 in every format that has one`(index: Int) throws {
        let encoder = Self.lossy[index]
        for quality in [-1, 101, Int.min] {
            let error = #expect(throws: EncodeError.self) {
                try encoder.adjusted(quality: quality, isLossless: false, maxByteCount: nil)
            }
            #expect(error?.code == .invalidParameter)
        }
        for quality in [0, 100] {
            let adjusted = try encoder.adjusted(quality: quality, isLossless: false, maxByteCount: nil)
            let data = try adjusted.encode(Self.picture)
            #expect(try CodecRegistry.tested.decode(data).size == Self.picture.size)
        }
    }

    private static let all: [any ImageEncoder] =
        lossy + [PNGEncoder(), GIFEncoder(), BMPEncoder(), TIFFEncoder()]

    @Test(arguments: all.indices)
    func `an effort is 0 to 9 in every format`(index: Int) throws {
        let encoder = Self.all[index]
        for effort in [-1, 10, Int.max, Int.min] {
            let error = #expect(throws: EncodeError.self) {
                try encoder.adjusted(by: EncodeAdjustment(effort: effort))
            }
            #expect(error?.code == .invalidParameter, "\(encoder)")
        }
        for effort in [0, 9] {
            let data = try encoder.adjusted(by: EncodeAdjustment(effort: effort)).encode(Self.picture)
            #expect(try CodecRegistry.tested.decode(data).size == Self.picture.size)
        }
    }

    @Test func `an effort is spread over the scale of each format`() throws {
        func adjusted<Encoder: ImageEncoder>(_ encoder: Encoder) throws -> [Encoder] {
            try [0, 5, 9, nil].map { try encoder.adjusted(by: EncodeAdjustment(effort: $0)) }
        }
        #expect(try adjusted(PNGEncoder(compressionLevel: 2)).map(\.compressionLevel) == [0, 5, 9, 2])
        #expect(try adjusted(WebPEncoder(effort: 1)).map(\.effort) == [0, 3, 6, 1])
        #expect(try adjusted(JPEGXLEncoder(effort: 3)).map(\.effort) == [1, 5, 9, 3])
        #expect(try adjusted(AVIFEncoder(speed: 7)).map(\.speed) == [10, 4, 0, 7])
    }

    @Test func `an effort on the scale of a format is used as it is, and checked`() throws {
        let adjustment = EncodeAdjustment(effort: 9, nativeEffort: 5)
        #expect(try AVIFEncoder().adjusted(by: adjustment).speed == 5)
        #expect(try WebPEncoder().adjusted(by: adjustment).effort == 5)
        #expect(try JPEGXLEncoder().adjusted(by: adjustment).effort == 5)
        #expect(try PNGEncoder().adjusted(by: adjustment).compressionLevel == 5)
        let encoders: [any ImageEncoder] = [AVIFEncoder(), WebPEncoder(), JPEGXLEncoder(), PNGEncoder()]
        for encoder in encoders {
            for effort in [-1, 11, Int.max] {
                let error = #expect(throws: EncodeError.self) {
                    try encoder.adjusted(by: EncodeAdjustment(nativeEffort: effort))
                }
                #expect(error?.code == .invalidParameter, "\(encoder)")
            }
        }
    }

    @Test func `chroma, colours and content change the encoders that have them`() throws {
        let full = EncodeAdjustment(chroma: .full)
        #expect(try JPEGEncoder().adjusted(by: full).chromaSubsampling == .yuv444)
        #expect(try AVIFEncoder().adjusted(by: full).chromaSubsampling == .yuv444)
        let halved = EncodeAdjustment(chroma: .halved)
        #expect(try AVIFEncoder().adjusted(by: halved).chromaSubsampling == .yuv420)
        let colors = EncodeAdjustment(maxColorCount: 7)
        #expect(try PNGEncoder().adjusted(by: colors).maxColorCount == 7)
        #expect(try GIFEncoder().adjusted(by: colors).maxColorCount == 7)
        #expect(try WebPEncoder().adjusted(by: EncodeAdjustment(content: .icon)).content == .icon)
        for encoder in [HEICEncoder(), BMPEncoder(), TIFFEncoder()] as [any ImageEncoder] {
            for adjustment in [full, colors, EncodeAdjustment(content: .text)] {
                #expect(try encoder.adjusted(by: adjustment).cacheIdentity == encoder.cacheIdentity)
            }
        }
    }

    @Test(arguments: EncodeAdjustment.Content.allCases)
    func `WebP for a content is decoded to the size of the image`(content: EncodeAdjustment.Content) throws {
        let image = TestImages.photograph(PixelSize(width: 64, height: 48))
        var encoder = WebPEncoder(quality: 60)
        encoder.content = content
        let data = try encoder.tested.encode(image)
        #expect(try CodecRegistry.tested.decode(data).size == image.size)
        // The preset has another filter strength than the default.
        if content == .photo { #expect(try data != WebPEncoder(quality: 60).tested.encode(image)) }
    }

    @Test(arguments: all.indices)
    func `an encoder without a progressive form rejects it`(index: Int) throws {
        let encoder = Self.all[index]
        let adjustment = EncodeAdjustment(isProgressive: true)
        if encoder.format == .jpeg || encoder.format == .png {
            #expect(try encoder.adjusted(by: adjustment).cacheIdentity != encoder.cacheIdentity)
        } else {
            let error = #expect(throws: EncodeError.self) { try encoder.adjusted(by: adjustment) }
            #expect(error?.code == .unsupportedFeature)
        }
    }

    @Test(arguments: all.indices)
    func `an adjustment changes only its own settings`(index: Int) throws {
        let encoder = Self.all[index]
        #expect(try encoder.adjusted(by: EncodeAdjustment()).cacheIdentity == encoder.cacheIdentity)
        let red = RGBColor(red: 255, green: 0, blue: 0)
        let identity = try encoder.adjusted(by: EncodeAdjustment(background: red)).cacheIdentity
        #expect(identity == encoder.cacheIdentity.replacing("background=ffffff", with: "background=ff0000"))
    }

    @Test(arguments: [
        DecodeOptions.Target.fit(width: 0), .fit(width: 10, height: -1),
        .fill(PixelSize(width: -4, height: 4)),
    ])
    func `an empty target is a typed error`(target: DecodeOptions.Target) throws {
        let data = try PNGEncoder().tested.encode(Self.picture)
        let options = DecodeOptions(target: target)
        let error = #expect(throws: DecodeError.self) {
            try CodecRegistry.tested.decode(data, options: options)
        }
        #expect(error?.code == .invalidParameter)
        #expect(CodecRegistry.tested.makeIncrementalDecoder(forHead: data, options: options) == nil)
    }
}
