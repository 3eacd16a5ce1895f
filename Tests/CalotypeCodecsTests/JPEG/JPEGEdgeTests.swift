import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing
import WorkerSupport

/// Thumbnails of images whose last blocks are padded with unrelated content.
@Suite(.blocking, .inBothModes) struct JPEGEdgeTests {
    static let samplings: [JPEGEncoder.ChromaSubsampling] = [.yuv444, .yuv422, .yuv420]

    /// A flat image whose last blocks contain padding: a larger image with a changed frame header.
    private struct Padded {
        var size: PixelSize
        var level: [UInt8]
        var padding: UInt8
        var encoder: JPEGEncoder

        func file() throws -> Data {
            let step = level.count
            let (across, down) = step == 1 ? (8, 8) : unit
            let whole = PixelSize(
                width: (size.width + across - 1) / across * across,
                height: (size.height + down - 1) / down * down
            )
            let pixels = PixelBuffer(byteCount: whole.pixelCount * step) { bytes in
                for index in 0..<whole.pixelCount {
                    let (x, y) = (index % whole.width, index / whole.width)
                    let isPicture = x < size.width && y < size.height
                    for channel in 0..<step {
                        bytes[index * step + channel] = isPicture ? level[channel] : padding
                    }
                }
            }
            let format: PixelFormat = step == 1 ? .gray8 : .rgb8
            var file = try encoder.tested.encode(Image(size: whole, pixelFormat: format, pixels: pixels))
            let frame = (0..<file.count).first { file[$0] == 0xFF && [0xC0, 0xC2].contains(file[$0 + 1]) }
            let start = try #require(frame) + 5
            file.replaceSubrange(start..<start + 4, with: bigEndian16(size.height) + bigEndian16(size.width))
            return file
        }

        /// The size in pixels of an MCU.
        private var unit: (Int, Int) {
            switch encoder.chromaSubsampling {
            case .automatic, .yuv444: (8, 8)
            case .yuv422: (16, 8)
            case .yuv420: (16, 16)
            }
        }

        func expectFlat(_ small: Image, _ comment: String) {
            let bytes = small.bytes
            let worst = bytes.indices.max { distance(bytes, $0) < distance(bytes, $1) } ?? 0
            let place = worst / level.count
            #expect(
                distance(bytes, worst) <= 2,
                """
                \(bytes[worst]) at \(place % small.size.width), \(place / small.size.width) \
                of \(small.size), \
                padding \(padding), \(size), \(comment)
                """
            )
        }

        private func distance(_ bytes: [UInt8], _ index: Int) -> Int {
            abs(Int(bytes[index]) - Int(level[index % level.count]))
        }
    }

    private func expectFlat(_ padded: Padded, divisor: Int) throws {
        let file = try padded.file()
        let options = DecodeOptions(target: .fit(PixelBox(width: max(1, padded.size.width / divisor))))
        let comment = "1/\(divisor), \(padded.encoder.cacheIdentity)"
        padded.expectFlat(try JPEGDecoder().tested.decode(file, options: options), comment)
        padded.expectFlat(try decodePiecewise(file, .random, options), comment + " in pieces")
    }

    @Test(arguments: samplings, [0, 255] as [UInt8])
    func `a flat image stays flat at every width, whatever the padding of its last blocks`(
        subsampling: JPEGEncoder.ChromaSubsampling,
        padding: UInt8
    ) throws {
        for rest in 0..<16 {
            for divisor in [5, 9, 17] {
                let size = PixelSize(width: 273 + rest, height: 272 - rest * 3)
                let encoder = JPEGEncoder(quality: 100, chromaSubsampling: subsampling)
                // Two luma samples of a chroma sample may straddle the edge of the image.
                for level in [[200, 200, 200], [128]] as [[UInt8]] {
                    let padded = Padded(size: size, level: level, padding: padding, encoder: encoder)
                    try expectFlat(padded, divisor: divisor)
                }
            }
        }
    }

    @Test(arguments: samplings)
    func `a flat colour stays flat at even widths, whatever the padding of its last blocks`(
        subsampling: JPEGEncoder.ChromaSubsampling
    ) throws {
        for rest in stride(from: 0, to: 16, by: 2) {
            let size = PixelSize(width: 272 + rest, height: 286 - rest)
            for divisor in [5, 9, 17] {
                let encoder = JPEGEncoder(quality: 100, chromaSubsampling: subsampling)
                let padded = Padded(size: size, level: [40, 160, 90], padding: 255, encoder: encoder)
                try expectFlat(padded, divisor: divisor)
            }
        }
    }

    @Test(arguments: samplings)
    func `a flat progressive image stays flat, whatever the padding of its last blocks`(
        subsampling: JPEGEncoder.ChromaSubsampling
    ) throws {
        // Scans of one component have no padding blocks.
        for rest in 9..<16 {
            let size = PixelSize(width: 272 + rest, height: 256 + rest)
            for divisor in [5, 9, 17] {
                let encoder = JPEGEncoder(
                    quality: 100,
                    isProgressive: true,
                    chromaSubsampling: subsampling
                )
                let padded = Padded(size: size, level: [210, 210, 210], padding: 0, encoder: encoder)
                try expectFlat(padded, divisor: divisor)
            }
        }
    }

    @Test func `a scaled embedded thumbnail stays flat, whatever the padding of its last blocks`() throws {
        let inner = Padded(
            size: PixelSize(width: 153, height: 115),
            level: [220, 220, 220],
            padding: 0,
            encoder: JPEGEncoder(quality: 100)
        )
        let file = try ThumbnailTests.camera(inner.file(), size: PixelSize(width: 612, height: 460))
        for width in [9, 17, 35] {
            let options = DecodeOptions(target: .fit(PixelBox(width: width)))
            let small = try #require(try CodecRegistry.tested.thumbnail(in: file, options: options))
            inner.expectFlat(small, "embedded, \(width)")
        }
    }
}
