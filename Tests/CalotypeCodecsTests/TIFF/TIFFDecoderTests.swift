import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing
import WorkerSupport

@Suite(.blocking, .inBothModes) struct TIFFDecoderTests {
    private func decode(_ file: TIFFFile, _ options: DecodeOptions = DecodeOptions()) throws -> Image {
        try TIFFDecoder().tested.decode(file.data, options: options)
    }

    private func expect(_ file: TIFFFile, _ format: PixelFormat, _ bytes: [UInt8]) throws {
        let image = try decode(file)
        #expect(image.pixelFormat == format)
        #expect(image.bytes == bytes)
        let info = try TIFFDecoder().tested.info(of: file.data, limits: DecodeLimits())
        #expect(info.pixelFormat == format && info.size == image.size && info.frameCount == 1)
        #expect(info.hasAlpha == (format == .rgba8))
    }

    // MARK: - Samples

    @Test func `gray of fewer than eight bits is scaled to all levels`() throws {
        try expect(TIFFFile(width: 8, bits: 1, strips: [[0xB0]]), .gray8, [255, 0, 255, 255, 0, 0, 0, 0])
        try expect(TIFFFile(width: 4, bits: 2, strips: [[0x1B]]), .gray8, [0, 85, 170, 255])
        try expect(TIFFFile(width: 4, bits: 4, strips: [[0x01, 0x8F]]), .gray8, [0, 17, 136, 255])
    }

    @Test func `zero is white if the file says so`() throws {
        try expect(
            TIFFFile(width: 8, bits: 1, photometric: 0, strips: [[0xB0]]),
            .gray8,
            [0, 255, 0, 0, 255, 255, 255, 255]
        )
        try expect(TIFFFile(width: 3, photometric: 0, strips: [[0, 100, 255]]), .gray8, [255, 155, 0])
        let wide = TIFFFile.samples([UInt16(0), 25_700, 65_535])
        try expect(TIFFFile(width: 3, bits: 16, photometric: 0, strips: [wide]), .gray8, [255, 155, 0])
    }

    @Test(arguments: [true, false])
    func `sixteen bits are rounded in both byte orders`(isLittleEndian: Bool) throws {
        let values: [UInt16] = [0, 128, 129, 385, 386, 32_767, 65_406, 65_407, 65_535]
        let stored = values.map { isLittleEndian ? $0.littleEndian : $0.bigEndian }
        var file = TIFFFile(width: values.count, bits: 16, strips: [TIFFFile.samples(stored)])
        file.isLittleEndian = isLittleEndian
        let rounded: [UInt8] = values.map { value in UInt8((Int(value) * 255 + 32_767) / 65_535) }
        try expect(file, .gray8, rounded)
    }

    @Test func `thirty two bits are rounded`() throws {
        let values: [UInt32] = [0, 1 << 23, 1 << 24, 1 << 31, .max]
        let file = TIFFFile(width: 5, bits: 32, strips: [TIFFFile.samples(values)])
        try expect(file, .gray8, [0, 0, 1, 128, 255])
    }

    @Test func `floating point is read from zero to one`() throws {
        let values: [Float] = [0, 0.25, 1, 0.5, -3, 7, .nan, .infinity, -.infinity]
        var file = TIFFFile(
            width: 3,
            bits: 32,
            photometric: 2,
            sampleCount: 3,
            strips: [TIFFFile.samples(values)]
        )
        file.shorts[339] = [3, 3, 3]
        try expect(file, .rgb8, [0, 64, 255, 128, 0, 255, 0, 255, 0])
    }

    @Test func `signed samples are refused by name`() {
        let file = TIFFFile(width: 2, strips: [[0, 1]], shorts: [339: [2]])
        #expect(decodeError { try decode(file) }?.code == .unsupportedFeature)
    }

    // MARK: - Colours

    @Test func `separate planes give the same pixels as interleaved ones`() throws {
        let rgb = TIFFFile(width: 2, photometric: 2, sampleCount: 3, strips: [[1, 2, 3, 4, 5, 6]])
        try expect(rgb, .rgb8, [1, 2, 3, 4, 5, 6])
        var planes = rgb
        planes.strips = [[1, 4], [2, 5], [3, 6]]
        planes.shorts[284] = [2]
        try expect(planes, .rgb8, [1, 2, 3, 4, 5, 6])
    }

    @Test func `a palette is resolved`() throws {
        let red: [Int] = (0..<16).map { $0 * 4096 }
        let green: [Int] = red.map { 65_535 - $0 }
        let map: [Int] = red + green + Array(repeating: 0x1234, count: 16)
        let four = TIFFFile(width: 4, bits: 4, photometric: 3, strips: [[0x01, 0x23]], shorts: [320: map])
        try expect(four, .rgb8, [0, 255, 18, 16, 239, 18, 32, 223, 18, 48, 207, 18])
        let one = TIFFFile(
            width: 8,
            bits: 1,
            photometric: 3,
            strips: [[0x80]],
            shorts: [320: [0, 65_535, 0, 0, 65_535, 0]]
        )
        #expect(try decode(one).bytes.prefix(6) == [255, 0, 0, 0, 0, 255])
    }

    @Test func `inks without a profile are multiplied as light`() throws {
        let inks: [UInt8] = [0, 0, 0, 0, 10, 20, 30, 40, 255, 0, 0, 0, 0, 0, 0, 255]
        let file = TIFFFile(width: 4, photometric: 5, sampleCount: 4, strips: [inks])
        try expect(file, .rgb8, [255, 255, 255, 207, 198, 190, 0, 255, 255, 0, 0, 0])
    }

    @Test func `inks with alpha retain it`() throws {
        var file = TIFFFile(
            width: 2,
            photometric: 5,
            sampleCount: 5,
            strips: [[0, 0, 0, 0, 9, 10, 20, 30, 40, 255]]
        )
        file.extraSamples = [2]
        try expect(file, .rgba8, [255, 255, 255, 9, 207, 198, 190, 255])
    }

    @Test func `a profile is converted unless declined`() throws {
        var file = TIFFFile(width: 2, photometric: 2, sampleCount: 3, strips: [[200, 100, 50, 20, 90, 180]])
        file.profile = TestProfiles.swapped
        let converted = try decode(file).bytes
        let swapped: [Int] = [100, 200, 50, 90, 20, 180]
        for (own, other) in zip(converted, swapped) { #expect(abs(Int(own) - other) < 12) }
        #expect(try decode(file, DecodeOptions(convertsToSRGB: false)).bytes == file.strips[0])
        #expect(try TIFFDecoder().tested.info(of: file.data, limits: DecodeLimits()).hasColorProfile)
    }

    // MARK: - Alpha

    private func rgba(_ extraSamples: [Int]) -> TIFFFile {
        let samples: [UInt8] = [10, 20, 30, 128, 4, 5, 6, 0, 7, 8, 9, 255]
        return TIFFFile(
            width: 3,
            photometric: 2,
            sampleCount: 4,
            extraSamples: extraSamples,
            strips: [samples]
        )
    }

    @Test func `unassociated alpha is unchanged`() throws {
        try expect(rgba([2]), .rgba8, [10, 20, 30, 128, 4, 5, 6, 0, 7, 8, 9, 255])
    }

    @Test func `associated alpha is divided out to within a level`() throws {
        let bytes = try decode(rgba([1])).bytes
        let exact: [UInt8] = [20, 40, 60, 128, 0, 0, 0, 0, 7, 8, 9, 255]
        #expect(zip(bytes, exact).allSatisfy { own, exact in own == exact || own + 1 == exact })
    }

    @Test(arguments: [[0], []])
    func `an extra sample not declared as alpha is ignored`(extraSamples: [Int]) throws {
        try expect(rgba(extraSamples), .rgb8, [10, 20, 30, 4, 5, 6, 7, 8, 9])
    }

    @Test func `gray with alpha becomes RGBA`() throws {
        let file = TIFFFile(width: 2, sampleCount: 2, extraSamples: [2], strips: [[10, 128, 20, 0]])
        try expect(file, .rgba8, [10, 10, 10, 128, 20, 20, 20, 0])
    }

    // MARK: - Structure

    @Test func `tiles are combined and cut at the edges`() throws {
        let tile: [UInt8] = Array(0...255)
        var file = TIFFFile(width: 20, height: 18, strips: [tile, tile, tile, tile])
        file.tileSize = (16, 16)
        var expected: [UInt8] = []
        for y in 0..<18 {
            for x in 0..<20 { expected.append(tile[y % 16 * 16 + x % 16]) }
        }
        try expect(file, .gray8, expected)
    }

    @Test func `a BigTIFF is decoded`() throws {
        var file = TIFFFile(width: 2, photometric: 2, sampleCount: 3, strips: [[1, 2, 3, 4, 5, 6]])
        file.isBig = true
        try expect(file, .rgb8, [1, 2, 3, 4, 5, 6])
        file.isLittleEndian = false
        try expect(file, .rgb8, [1, 2, 3, 4, 5, 6])
    }

    @Test func `packed bytes are unpacked`() throws {
        let file = TIFFFile(width: 6, compression: 32_773, strips: [[0xFB, 7]])
        try expect(file, .gray8, [7, 7, 7, 7, 7, 7])
    }

    @Test(arguments: Orientation.allCases)
    func `an orientation is applied unless declined`(orientation: Orientation) throws {
        let file = TIFFFile(
            width: 3,
            height: 2,
            strips: [[1, 2, 3, 4, 5, 6]],
            shorts: [274: [orientation.rawValue]]
        )
        let stored = try decode(file, DecodeOptions(appliesOrientation: false))
        #expect(stored.bytes == [1, 2, 3, 4, 5, 6] && stored.metadata.orientation == orientation)
        let shown = try decode(file)
        #expect(shown.size == orientation.applied(to: stored.size))
        // In the order of the Exif values.
        let first: [UInt8] = [1, 3, 6, 4, 1, 4, 6, 3]
        #expect(shown.bytes.first == first[orientation.rawValue - 1])
    }

    @Test func `an invalid orientation is ignored`() throws {
        let file = TIFFFile(width: 2, strips: [[1, 2]], shorts: [274: [9]])
        #expect(try decode(file).metadata.orientation == .up)
    }

    @Test(arguments: [6, 32_809, 34_661, 34_676, 34_887, 60_000])
    func `an unsupported compression is refused by name`(compression: Int) {
        let file = TIFFFile(width: 2, compression: compression, strips: [[1, 2]])
        #expect(decodeError { try decode(file) }?.code == .unsupportedFeature)
    }

    @Test func `YCbCr outside JPEG is refused by name`() {
        let file = TIFFFile(
            width: 1,
            photometric: 6,
            sampleCount: 3,
            strips: [[1, 2, 3]],
            shorts: [530: [1, 1]]
        )
        #expect(decodeError { try decode(file) }?.code == .unsupportedFeature)
    }

    @Test func `the decoded size follows the target's rule`() throws {
        let file = try TIFFEncoder().tested.encode(TestImages.photograph(PixelSize(width: 90, height: 60)))
        let image = try TIFFDecoder().tested.decode(
            file,
            options: DecodeOptions(target: .fit(PixelBox(width: 30)))
        )
        #expect(image.size == PixelSize(width: 30, height: 20))
    }
}
