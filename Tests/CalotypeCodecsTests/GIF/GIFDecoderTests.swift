import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing
import WorkerSupport

@Suite(.blocking, .inBothModes) struct GIFDecoderTests {
    private func decode(_ file: GIFFile, _ options: DecodeOptions = DecodeOptions()) throws -> Image {
        try GIFDecoder().tested.decode(file.data, options: options)
    }

    private func info(_ file: GIFFile) throws -> ImageInfo {
        try GIFDecoder().tested.info(of: file.data, limits: DecodeLimits())
    }

    private func letters(_ file: GIFFile) throws -> [String] {
        try decode(file).allFrames().map(\.letters)
    }

    // MARK: - Pixels

    @Test(arguments: [(0, 0, 3, 2, 3, 2), (2, 1, 2, 3, 4, 4), (0, 1, 2, 1, 2, 2), (5, 5, 1, 1, 6, 6)])
    func `a first frame beyond the screen enlarges the canvas`(
        left: Int,
        top: Int,
        width: Int,
        height: Int,
        canvasWidth: Int,
        canvasHeight: Int
    ) throws {
        let indexes = [UInt8](repeating: 1, count: width * height)
        let first = GIFFile.Frame(left: left, top: top, width: width, height: height, indexes: indexes)
        // Later frames are cut.
        let second = GIFFile.Frame(left: 1, width: 9, height: 1, indexes: [UInt8](repeating: 2, count: 9))
        let file = GIFFile(width: 2, height: 1, frames: [first, second])
        let size = PixelSize(width: canvasWidth, height: canvasHeight)
        #expect(try info(file).size == size)
        let image = try decode(file)
        #expect(image.size == size)
        let red = image.rgba8().dropFirst(4 * (top * canvasWidth + left)).prefix(4)
        #expect([UInt8](red) == [255, 0, 0, 255])
        try expectEqual(decodePiecewise(file.data, .bytes), image)
    }

    @Test func `a still has the colours of its table`() throws {
        let file = GIFFile(
            width: 3,
            height: 2,
            frames: [GIFFile.Frame(width: 3, height: 2, indexes: [0, 1, 2, 3, 2, 1])]
        )
        let image = try decode(file)
        #expect(image.letters == "krg/bgr")
        #expect(image.pixelFormat == .rgb8 && image.animation == nil && image.format == .gif)
    }

    @Test func `a gray table gives a gray image`() throws {
        var file = GIFFile(width: 2, height: 1, frames: [.init(width: 2, height: 1, indexes: [1, 0])])
        file.palette = [.black, .white]
        #expect(try decode(file).pixelFormat == .gray8)
        #expect(try decode(file).bytes == [255, 0])
        #expect(try info(file).pixelFormat == .gray8)
    }

    @Test func `an unused gray table does not give a gray image`() throws {
        var file = GIFFile(width: 2, height: 1, frames: [.init(width: 2, height: 1, indexes: [1, 0])])
        file.palette = [.black, .white]
        file.frames[0].palette = [GIFFile.red, GIFFile.green]
        #expect(try decode(file).letters == "gr")
        #expect(try decode(file).pixelFormat == .rgb8)
    }

    @Test func `rows of an interlaced frame are put in order`() throws {
        for height in [1, 2, 3, 4, 5, 7, 8, 9, 16, 37] {
            let indexes = (0..<height * 3).map { UInt8($0 / 3 * 7 % 4) }
            var frame = GIFFile.Frame(width: 3, height: height, indexes: indexes)
            let plain = try decode(GIFFile(width: 3, height: height, frames: [frame]))
            frame.isInterlaced = true
            #expect(try decode(GIFFile(width: 3, height: height, frames: [frame])).bytes == plain.bytes)
        }
    }

    @Test func `a transparent colour does not change the canvas`() throws {
        var file = GIFFile(width: 2, height: 1, frames: [.init(width: 2, height: 1, indexes: [1, 2])])
        file.frames[0].transparentIndex = 1
        #expect(try letters(file) == [".g"])
        #expect(try info(file).hasAlpha && info(file).pixelFormat == .rgba8)
    }

    @Test func `canvas outside of the first frame is transparent`() throws {
        let file = GIFFile(width: 3, height: 2, frames: [.filled(1, left: 1, top: 0, width: 1, height: 1)])
        #expect(try letters(file) == [".r./..."])
        #expect(try info(file).hasAlpha && info(file).pixelFormat == .rgba8)
    }

    @Test func `transparency over an opaque canvas needs no alpha channel`() throws {
        let file = GIFFile(
            width: 2,
            height: 1,
            frames: [
                .filled(1, width: 2, height: 1),
                .init(width: 2, height: 1, indexes: [2, 0], transparentIndex: 0),
            ]
        )
        #expect(try letters(file) == ["rr", "gr"])
        #expect(try info(file).hasAlpha && info(file).pixelFormat == .rgb8)
    }

    // MARK: - Place

    @Test func `a frame partly outside of the canvas is cut`() throws {
        let indexes: [UInt8] = [1, 2, 3, 2, 3, 1, 3, 1, 2]
        let frame = GIFFile.Frame(left: 1, top: 1, width: 3, height: 3, indexes: indexes)
        let file = GIFFile(width: 3, height: 3, frames: [.filled(1, width: 1, height: 1), frame])
        #expect(try letters(file) == ["r../.../...", "r../.rg/.gb"])
    }

    @Test func `a frame outside of the canvas draws nothing`() throws {
        for (left, top) in [(2, 0), (0, 2), (65535, 65535)] {
            let away = GIFFile.Frame.filled(1, left: left, top: top, width: 2, height: 2, disposal: 3)
            let file = GIFFile(
                width: 2,
                height: 2,
                frames: [.filled(2, width: 1, height: 2), away, .filled(3, width: 1, height: 1), away]
            )
            #expect(try letters(file) == ["g./g.", "g./g.", "b./g.", "b./g."])
        }
    }

    @Test func `a frame without pixels counts as a frame`() throws {
        let file = GIFFile(
            width: 1,
            height: 1,
            frames: [
                .filled(1, width: 1, height: 1), .filled(1, width: 0, height: 0, disposal: 2),
                .filled(2, width: 1, height: 1),
            ]
        )
        #expect(try letters(file) == ["r", "r", "g"])
    }

    @Test func `a screen without size has the size of the first frame`() throws {
        var file = GIFFile(width: 0, height: 0, frames: [.filled(2, left: 1, width: 2, height: 1)])
        file.frames.append(.filled(1, width: 9, height: 9))
        #expect(try letters(file) == [".gg", "rrr"])
        #expect(try info(file).size == PixelSize(width: 3, height: 1))
    }

    // MARK: - Blocks

    @Test func `unknown extensions and zero bytes between blocks are passed over`() throws {
        var file = GIFFile(width: 1, height: 1, frames: [.filled(1, width: 1, height: 1)])
        file.extensions = Data([0x21, 0xFE, 3, 1, 2, 3, 2, 1, 1, 0, 0, 0, 0x21, 0x01, 0, 0x21, 0xF9, 0])
        #expect(try letters(file) == ["r"])
    }

    @Test func `the last control before a frame applies to that frame alone`() throws {
        var file = GIFFile(width: 1, height: 1, frames: [.filled(1, width: 1, height: 1)])
        file.extensions = Data([0x21, 0xF9, 4, 1, 0, 0, 1, 0])
        #expect(try letters(file) == ["r"])
        var bare = GIFFile(
            width: 1,
            height: 1,
            frames: [.filled(1, width: 1, height: 1, transparentIndex: 1)]
        )
        bare.trailer = GIFFile.image(.filled(2, width: 1, height: 1)) + bare.trailer
        #expect(try letters(bare) == [".", "g"])
        #expect(try decode(bare).animation?.duration(ofFrameAt: 1) == .milliseconds(100))
    }

    @Test func `excess pixels are ignored`() throws {
        var file = GIFFile(width: 2, height: 1, frames: [.filled(1, width: 2, height: 1)])
        file.frames[0].indexes += [3, 3, 3, 3]
        #expect(try letters(file) == ["rr"])
    }

    @Test func `a missing trailer is accepted after whole frames only`() throws {
        var file = GIFFile(width: 1, height: 1, frames: [.filled(1, width: 1, height: 1)])
        file.trailer = Data()
        #expect(try letters(file) == ["r"])
        // A second frame is announced.
        file.trailer = Data([0x21, 0xF9, 4, 0, 0, 0, 0, 0])
        #expect(decodeError { try decode(file) }?.code == .truncated)
        file.trailer = Data([0x21])
        #expect(decodeError { try decode(file) }?.code == .truncated)
        file.trailer = Data([0x2C])
        #expect(decodeError { try decode(file) }?.code == .truncated)
    }

    @Test func `data after the trailer is ignored`() throws {
        var file = GIFFile(width: 1, height: 1, frames: [.filled(1, width: 1, height: 1)])
        file.trailer = Data([0x3B, 0x2C, 9, 9])
        #expect(try letters(file) == ["r"])
    }

    // MARK: - Targets

    @Test(arguments: ResamplingLight.allCases)
    func `frames mix what the options say, and levels unless they do`(light: ResamplingLight) throws {
        let file = GIFFile(
            width: 40,
            height: 20,
            frames: [
                .filled(1, width: 40, height: 20), .filled(2, width: 13, height: 7),
            ]
        )
        let target = DecodeOptions.Target.fit(PixelBox(width: 10))
        let small = try decode(file, DecodeOptions(target: target, light: light)).allFrames()
        for (index, whole) in try decode(file, DecodeOptions()).allFrames().enumerated() {
            let expected = try Resampler.resize(
                whole,
                to: PixelSize(width: 10, height: 5),
                light: light == .linear ? .linear : .encoded
            )
            #expect(small[index].bytes == expected.bytes)
        }
    }

    @Test func `all frames are resampled to the target`() throws {
        let file = GIFFile(
            width: 40,
            height: 20,
            frames: [.filled(1, width: 40, height: 20), .filled(2, width: 40, height: 20)]
        )
        let image = try decode(file, DecodeOptions(target: .fit(PixelBox(width: 10)), scale: 2))
        for frame in try image.allFrames() {
            #expect(frame.size == PixelSize(width: 10, height: 5) && frame.scale == 2)
        }
        let all = try decode(file, DecodeOptions(target: .fitBytes(1600)))
        #expect(all.size == PixelSize(width: 20, height: 10))
        let first = try decode(file, DecodeOptions(target: .fitBytes(1600), frames: .first))
        #expect(first.size == PixelSize(width: 28, height: 14) && first.animation == nil)
    }
}
