import CalotypeCodecs
import CalotypeCore
import TestTraits
import Testing

@Suite(.blocking) struct CacheIdentityTests {
    @Test func `the cache identities are pinned`() {
        let common = "bytes=-,box=-,background=ffffff,frames=all"
        #expect(JPEGEncoder().cacheIdentity == "jpeg1(q=90,progressive=0,chroma=automatic,\(common))")
        #expect(PNGEncoder().cacheIdentity == "png2(level=6,interlaced=0,\(common))")
        let options = EncodeOptions(
            byteCountMax: 5000,
            sizeMax: PixelBox(height: 40),
            background: RGBColor(red: 1, green: 0, blue: 171)
        )
        #expect(
            JPEGEncoder(quality: 7, isProgressive: true, chromaSubsampling: .yuv422, options: options)
                .cacheIdentity
                == "jpeg1(q=7,progressive=1,chroma=yuv422,bytes=5000,box=-x40,background=0100ab,frames=all)"
        )
    }

    static let options = [
        EncodeOptions(), EncodeOptions(byteCountMax: 1), EncodeOptions(sizeMax: PixelBox(width: 1)),
        EncodeOptions(sizeMax: PixelBox(height: 1)), EncodeOptions(sizeMax: PixelBox(width: 1, height: 1)),
        EncodeOptions(background: .black), EncodeOptions(frames: .first),
    ]

    @Test func `each property changes the identity of a JPEG encoder`() {
        var encoders = Self.options.map { JPEGEncoder(options: $0) }
        encoders += [
            JPEGEncoder(quality: 89), JPEGEncoder(isProgressive: true),
            JPEGEncoder(chromaSubsampling: .yuv444),
            JPEGEncoder(chromaSubsampling: .yuv422), JPEGEncoder(chromaSubsampling: .yuv420),
        ]
        #expect(Set(encoders.map(\.cacheIdentity)).count == encoders.count)
        #expect(Set(encoders).count == encoders.count)
    }

    @Test func `each property changes the identity of a PNG encoder`() {
        var encoders = Self.options.map { PNGEncoder(options: $0) }
        encoders += [PNGEncoder(compressionLevel: 9), PNGEncoder(isInterlaced: true)]
        #expect(Set(encoders.map(\.cacheIdentity)).count == encoders.count)
        #expect(Set(encoders).count == encoders.count)
    }

    @Test func `the defaults match the documentation`() {
        let jpeg = JPEGEncoder()
        #expect(jpeg.quality == 90 && !jpeg.isProgressive && jpeg.chromaSubsampling == .automatic)
        let png = PNGEncoder()
        #expect(png.compressionLevel == 6 && !png.isInterlaced)
        #expect(jpeg.options == EncodeOptions() && png.options == EncodeOptions())
        #expect(EncodeOptions().byteCountMax == nil && EncodeOptions().sizeMax == nil)
        #expect(EncodeOptions().background == .white)
    }
}
