import CalotypeCodecs
import CalotypeCore
import TestSupport
import Testing

@Suite(.blocking) struct CacheIdentityTests {
    private static let common = "bytes=-,box=-,background=ffffff,frames=all"

    private static let pinned: [(encoder: any ImageEncoder, identity: String)] = [
        (JPEGEncoder(), "jpeg1(q=90,progressive=0,chroma=automatic,\(common))"),
        (
            JPEGEncoder(
                quality: 7,
                isProgressive: true,
                chromaSubsampling: .yuv422,
                options: EncodeOptions(
                    maxByteCount: 5000,
                    maxSize: PixelBox(height: 40),
                    background: RGBColor(red: 1, green: 0, blue: 171)
                )
            ), "jpeg1(q=7,progressive=1,chroma=yuv422,bytes=5000,box=-x40-2,background=0100ab,frames=all)"
        ),
        (PNGEncoder(), "png2(level=6,interlaced=0,\(common))"), (BMPEncoder(), "bmp1(\(common))"),
        (ICOEncoder(), "ico1(level=6,\(common))"),
        (GIFEncoder(), "gif1(colors=256,dither=1,\(common))"),
        (WebPEncoder(), "webp1(q=80,lossless=0,effort=4,\(common))"),
        (
            WebPEncoder(quality: 7, isLossless: true, effort: 6, options: EncodeOptions(frames: .first)),
            "webp1(q=7,lossless=1,effort=6,bytes=-,box=-,background=ffffff,frames=first)"
        ),
        (AVIFEncoder(), "avif2(q=60,lossless=0,speed=6,chroma=automatic,\(common))"),
        (HEICEncoder(), "heic1(q=75,lossless=0,\(common))"),
        (JPEGXLEncoder(), "jxl1(q=90,lossless=0,effort=5,\(common))"),
        (
            JPEGXLEncoder(quality: 7, isLossless: true, effort: 9, options: EncodeOptions(maxByteCount: 8)),
            "jxl1(q=7,lossless=1,effort=9,bytes=8,box=-,background=ffffff,frames=all)"
        ),
        (TIFFEncoder(), "tiff1(compression=lzw,\(common))"),
        (TIFFEncoder(compression: .jpeg(quality: 7)), "tiff1(compression=jpeg7,\(common))"),
    ]

    @Test(arguments: pinned.indices) func `a cache identity is pinned`(index: Int) {
        let (encoder, identity) = Self.pinned[index]
        #expect(encoder.cacheIdentity == identity)
    }

    private static let options = [
        EncodeOptions(), EncodeOptions(maxByteCount: 1), EncodeOptions(maxSize: PixelBox(width: 1)),
        EncodeOptions(maxSize: PixelBox(height: 1)), EncodeOptions(maxSize: PixelBox(width: 1, height: 1)),
        EncodeOptions(background: .black), EncodeOptions(frames: .first),
    ]

    private static func with<Encoder>(_ encoder: Encoder, _ change: (inout Encoder) -> Void) -> Encoder {
        var encoder = encoder
        change(&encoder)
        return encoder
    }

    /// The encoders of each format, each with one property changed.
    private static let families: [[any ImageEncoder]] = [
        options.map { JPEGEncoder(options: $0) } + [
            JPEGEncoder(quality: 89), JPEGEncoder(isProgressive: true),
            JPEGEncoder(chromaSubsampling: .yuv444),
            JPEGEncoder(chromaSubsampling: .yuv422), JPEGEncoder(chromaSubsampling: .yuv420),
        ],
        options.map { PNGEncoder(options: $0) } + [
            PNGEncoder(compressionLevel: 9), PNGEncoder(isInterlaced: true),
            with(PNGEncoder()) { $0.maxColorCount = 256 }, with(PNGEncoder()) { $0.maxColorCount = 2 },
        ],
        options.map { BMPEncoder(options: $0) },
        options.map { ICOEncoder(options: $0) } + [ICOEncoder(compressionLevel: 9)],
        options.map { GIFEncoder(options: $0) } + [
            GIFEncoder(maxColorCount: 255), GIFEncoder(dithers: false),
        ],
        options.map { WebPEncoder(options: $0) } + [
            WebPEncoder(quality: 79), WebPEncoder(isLossless: true), WebPEncoder(effort: 5),
            with(WebPEncoder()) { $0.content = .photo }, with(WebPEncoder()) { $0.content = .text },
        ],
        options.map { AVIFEncoder(options: $0) } + [
            AVIFEncoder(quality: 61), AVIFEncoder(isLossless: true), AVIFEncoder(speed: 7),
            AVIFEncoder(chromaSubsampling: .yuv444), AVIFEncoder(chromaSubsampling: .yuv422),
            AVIFEncoder(chromaSubsampling: .yuv420),
        ],
        options.map { HEICEncoder(options: $0) } + [HEICEncoder(quality: 61), HEICEncoder(isLossless: true)],
        options.map { JPEGXLEncoder(options: $0) } + [
            JPEGXLEncoder(quality: 89), JPEGXLEncoder(isLossless: true), JPEGXLEncoder(effort: 6),
        ],
        options.map { TIFFEncoder(options: $0) } + [
            TIFFEncoder(compression: .none), TIFFEncoder(compression: .deflate),
            TIFFEncoder(compression: .jpeg(quality: 90)), TIFFEncoder(compression: .jpeg(quality: 89)),
        ],
    ]

    @Test(arguments: families.indices) func `each property changes the identity of an encoder`(family: Int) {
        let encoders = Self.families[family]
        #expect(Set(encoders.map(\.cacheIdentity)).count == encoders.count)
        #expect(Set(encoders.map { AnyHashable($0) }).count == encoders.count)
    }

    @Test func `the defaults match the documentation`() {
        let jpeg = JPEGEncoder()
        #expect(jpeg.quality == 90 && !jpeg.isProgressive && jpeg.chromaSubsampling == .automatic)
        let png = PNGEncoder()
        #expect(png.compressionLevel == 6 && !png.isInterlaced && png.maxColorCount == nil)
        let gif = GIFEncoder()
        #expect(gif.maxColorCount == 256 && gif.dithers)
        let webP = WebPEncoder()
        #expect(webP.quality == 80 && !webP.isLossless && webP.effort == 4 && webP.format == .webP)
        let avif = AVIFEncoder()
        #expect(avif.quality == 60 && !avif.isLossless && avif.speed == 6)
        #expect(avif.chromaSubsampling == .automatic)
        let heic = HEICEncoder()
        #expect(heic.quality == 75 && !heic.isLossless)
        let jxl = JPEGXLEncoder()
        #expect(jxl.quality == 90 && !jxl.isLossless && jxl.effort == 5)
        let tiff = TIFFEncoder()
        #expect(tiff.compression == .lzw)
        let options = [
            jpeg.options, png.options, gif.options, webP.options, avif.options, heic.options, jxl.options,
            tiff.options,
        ]
        #expect(Set(options) == [EncodeOptions()])
        #expect(EncodeOptions().maxByteCount == nil && EncodeOptions().maxSize == nil)
        #expect(EncodeOptions().background == .white)
    }
}
