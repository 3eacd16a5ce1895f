import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing
import WorkerSupport

@Suite(.blocking, .inBothModes) struct JPEGXLIncrementalTests {
    private func decoder(_ options: DecodeOptions = DecodeOptions()) throws -> any IncrementalDecoder {
        try #require(JPEGXLDecoder().tested.makeIncrementalDecoder(for: .jpegXL, options: options))
    }

    private func append(_ data: Data, to decoder: any IncrementalDecoder, sizes: () -> Int) throws {
        var rest = data
        while !rest.isEmpty {
            let count = sizes()
            try decoder.append(rest.prefix(count))
            rest = rest.dropFirst(count)
        }
    }

    @Test(arguments: JPEGXLDamageTests.files)
    func `single-byte chunks give the same image as an ordinary decode`(name: String, data: Data) throws {
        let decoder = try decoder()
        try append(data, to: decoder) { 1 }
        let image = try decoder.finish()
        let whole = try JPEGXLDecoder().tested.decode(data, options: DecodeOptions())
        #expect(image.bytes == whole.bytes && image.metadata == whole.metadata)
        #expect(image.animation?.frameCount == whole.animation?.frameCount)
        #expect(image.animation?.loopCount == whole.animation?.loopCount)
        if let last = whole.animation.map({ $0.frameCount - 1 }) {
            #expect(
                try image.animation?.decodeFrame(at: last).bytes
                    == whole.animation?.decodeFrame(at: last).bytes
            )
        }
    }

    @Test(arguments: [
        DecodeOptions(), DecodeOptions(target: .fit(PixelBox(width: 100))), DecodeOptions(frames: .first),
        DecodeOptions(target: .fitBytes(4000), appliesOrientation: false, convertsToSRGB: false),
    ])
    func `chunks of any size with previews give the same image as an ordinary decode`(options: DecodeOptions)
        throws
    {
        let size = PixelSize(width: 700, height: 400)
        var files = [JPEGXLFixtures.grayAlpha, JPEGXLFixtures.displayP3, JPEGXLFixtures.layers]
        files.append(try JPEGXLEncoder(effort: 3).tested.encode(TestImages.photograph(size)))
        let alpha = TestImages.photograph(size, format: .rgba8)
        files.append(try JPEGXLEncoder(isLossless: true, effort: 2).tested.encode(alpha))
        var random = SeededGenerator(seed: 5)
        for file in files {
            let decoder = try decoder(options)
            try append(file, to: decoder) {
                // A preview does not affect the result.
                _ = Bool.random(using: &random) ? decodeError { try decoder.preview() } : nil
                return Int.random(in: 1...max(2, file.count / 5), using: &random)
            }
            let image = try decoder.finish()
            let whole = try JPEGXLDecoder().tested.decode(file, options: options)
            #expect(image.bytes == whole.bytes && image.size == whole.size)
        }
    }

    @Test func `a lossy image has a coarse preview before it is whole`() throws {
        let picture = TestImages.photograph(PixelSize(width: 700, height: 400))
        let file = try JPEGXLEncoder(effort: 3).tested.encode(picture)
        let decoder = try decoder()
        try decoder.append(file.prefix(file.count * 6 / 10))
        let preview = try #require(try decoder.preview())
        #expect(preview.rowCount == 400 && preview.image.size == picture.size)
        #expect(preview.image.difference(to: picture).mean < 12)
        #expect(try decoder.preview() == nil)
    }

    @Test func `a lossless image has its first preview when it is whole`() throws {
        let picture = TestImages.photograph(PixelSize(width: 300, height: 300))
        let file = try JPEGXLEncoder(isLossless: true, effort: 2).tested.encode(picture)
        let decoder = try decoder()
        try decoder.append(file.prefix(file.count * 7 / 10))
        #expect(try decoder.preview() == nil)
        try decoder.append(file.dropFirst(file.count * 7 / 10))
        #expect(try decoder.preview()?.rowCount == 300)
    }

    @Test func `the whole image is previewed once`() throws {
        let file = try JPEGXLEncoder(effort: 1).tested.encode(
            TestImages.photograph(PixelSize(width: 30, height: 20))
        )
        let decoder = try decoder()
        try decoder.append(file)
        #expect(try decoder.preview()?.rowCount == 20)
        try decoder.append(Data("trailing".utf8))
        #expect(try decoder.preview() == nil)
        #expect(try decoder.finish().size.height == 20)
    }

    @Test(arguments: JPEGXLDamageTests.files)
    func `missing bytes at the end fail as truncated`(name: String, data: Data) throws {
        for count in [1, 5, data.count / 2, data.count - 1] {
            let decoder = try decoder()
            try decoder.append(data.prefix(count))
            // The missing last frame of an animation is an error on request.
            let error = decodeError { try decoder.finish().allFrames() }
            #expect(error?.code == .truncated)
        }
        let nothing = try decoder()
        #expect(decodeError { try nothing.finish() }?.code == .empty)
    }

    @Test func `limits hold while bytes arrive, and an error persists`() throws {
        let file = try JPEGXLEncoder(isLossless: true, effort: 1).tested.encode(
            TestImages.photograph(PixelSize(width: 300, height: 200))
        )
        try #require(file.count > 20_000)
        for limits in [DecodeLimits(maxPixelCount: 59_999), DecodeLimits(maxByteCount: 9000)] {
            let decoder = try decoder(DecodeOptions(limits: limits))
            #expect(decodeError { try decoder.judge(file.prefix(10_000)) }?.code == .limitExceeded)
            #expect(decodeError { try decoder.judge(Data([0])) }?.code == .limitExceeded)
            #expect(decodeError { try decoder.finish() }?.code == .limitExceeded)
        }
    }
}
