import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import TestSupport
import Testing

@Suite(.blocking) struct VipsPictureTests {
    private let picture = TestImages.photograph(PixelSize(width: 40, height: 30), format: .rgba8)

    @Test(arguments: VipsOperation.allCases)
    func `each operation exists in libvips, and rejects unknown arguments`(
        operation: VipsOperation
    ) throws {
        let failure = #expect(throws: CodecFailure.self) {
            try VipsPicture.make(operation, [.integer("nonsense", 1)])
        }
        #expect(failure?.text.contains("nonsense") == true)
    }

    @Test func `untouched pixels round-trip`() throws {
        for format in PixelFormat.eightBitFormats {
            let image = TestImages.asymmetric(PixelSize(width: 7, height: 5), format: format)
            let same = try VipsPicture(image).image(like: image)
            #expect(same.pixelFormat == format)
            #expect(same.rgba8() == image.rgba8())
        }
    }

    @Test func `an image retains its source pixels`() throws {
        var image: Image? = TestImages.asymmetric(PixelSize(width: 7, height: 5))
        let expected = image?.rgba8()
        let flipped = try VipsPicture(try #require(image)).applying(.flip, [.text("direction", "vertical")])
        image = nil
        let back = try flipped.applying(.flip, [.text("direction", "vertical")]).image(like: picture)
        #expect(back.rgba8() == expected)
    }

    @Test func `bands of more than 8 bits are an error`() throws {
        let wide = try VipsPicture(picture).applying(.cast, [.text("format", "float")])
        #expect(throws: CodecFailure.self) { try wide.image(like: picture) }
    }

    @Test func `an argument of another type is an error, and no pointer is followed`() throws {
        let picture = try VipsPicture(picture)
        for argument in [VipsArgument.integer("in", 1), .text("in", "nonsense"), .numbers("sigma", [1])] {
            #expect(throws: CodecFailure.self) { try picture.applying(.gaussblur, [argument]) }
        }
        #expect(throws: CodecFailure.self) { try VipsPicture.make(.bandjoin, [.picture("in", picture)]) }
    }

    @Test func `a matrix weights the bands by its rows`() throws {
        let image = TestImages.asymmetric(PixelSize(width: 3, height: 2))
        let turned = try VipsPicture(image)
            .applying(.recomb, [.matrix("m", [[0, 0, 1], [1, 0, 0], [0, 0.5, 0]])])
            .rounded()
            .image(like: image)
        let (before, after) = (image.bytes, turned.bytes)
        #expect(after[0] == before[2] && after[1] == before[0] && after[2] == UInt8(before[1]) / 2)
    }

    @Test func `a matrix of another width, or for another argument, is an error`() throws {
        let picture = try VipsPicture(picture)
        let matrix = [[1.0, 0, 0]]
        #expect(throws: CodecFailure.self) { try picture.applying(.recomb, [.matrix("m", matrix)]) }
        #expect(throws: CodecFailure.self) { try picture.applying(.gaussblur, [.matrix("sigma", matrix)]) }
    }

    @Test func `an undefined enumeration case is an error`() throws {
        let picture = try VipsPicture(picture)
        #expect(throws: CodecFailure.self) { try picture.applying(.flip, [.text("direction", "sideways")]) }
    }

    @Test func `a cropped image has its origin`() throws {
        let cut = try VipsPicture(picture).applying(
            .extract_area,
            [.integer("left", 5), .integer("top", 7), .integer("width", 10), .integer("height", 11)]
        )
        #expect(cut.size == PixelSize(width: 10, height: 11))
        #expect(cut.origin == (5, 7))
    }
}
