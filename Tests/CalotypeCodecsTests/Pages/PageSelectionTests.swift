import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing
import WorkerSupport

@testable import CalotypeCodecs

@Suite(.blocking, .inBothModes) struct PageSelectionTests {
    /// A TIFF of gray pages, each of one level, with these widths; the height is 2.
    private static func tiff(widths: [Int], next last: Int? = nil) -> Data {
        TIFFTree(
            directories: widths.enumerated().map { index, width in
                let isLast = index == widths.count - 1
                return TIFFTree.Directory(
                    longs: [256: [width], 257: [2], 258: [8], 259: [1], 262: [1], 277: [1], 278: [2]],
                    strip: Data(repeating: UInt8(10 * (index + 1)), count: 2 * width),
                    next: isLast ? last : index + 1
                )
            }
        ).data
    }

    private func show(
        _ data: Data,
        _ first: Int,
        _ count: Int = 1,
        _ change: (inout DecodeOptions) -> Void = { _ in }
    ) throws -> Image {
        var options = DecodeOptions(pages: PageSelection(first: first, count: count))
        change(&options)
        return try CodecRegistry.tested.decode(data, options: options)
    }

    private static func info(_ data: Data, _ first: Int, _ count: Int) throws -> ImageInfo {
        try CodecRegistry.tested.info(
            of: data,
            limits: DecodeLimits(),
            pages: PageSelection(first: first, count: count)
        )
    }

    // MARK: - TIFF

    @Test(arguments: [(0, 3, 10), (1, 5, 20), (2, 4, 30), (3, 4, 30), (Int.max, 4, 30)])
    func `a page of a TIFF is decoded by its number, and the last beyond the end`(
        page: Int,
        width: Int,
        level: UInt8
    ) throws {
        let file = Self.tiff(widths: [3, 5, 4])
        let image = try show(file, page)
        #expect(image.size == PixelSize(width: width, height: 2) && image.format == .tiff)
        #expect(image.pixelFormat == .gray8 && image.bytes.allSatisfy { $0 == level })
        let info = try Self.info(file, page, 1)
        #expect(info.size == image.size && info.pixelFormat == image.pixelFormat)
        #expect(try CodecRegistry.tested.decode(file).bytes == [UInt8](repeating: 10, count: 6))
        #expect(CodecRegistry.standard.details(of: file).pageCount == 3)
    }

    @Test func `several pages are stacked at the left, with transparent pixels beside them`() throws {
        let file = Self.tiff(widths: [3, 5, 4])
        let image = try show(file, 1, 9)
        #expect(image.size == PixelSize(width: 5, height: 4) && image.pixelFormat == .rgba8)
        #expect(image.format == .tiff)
        let info = try Self.info(file, 1, 9)
        #expect(info.size == image.size && info.pixelFormat == image.pixelFormat && info.hasAlpha)
        for y in 0..<4 {
            for x in 0..<5 {
                let pixel = Array(image.bytes[(y * 5 + x) * 4..<(y * 5 + x) * 4 + 4])
                let level: UInt8 = y < 2 ? 20 : 30
                #expect(
                    pixel == (y >= 2 && x == 4 ? [0, 0, 0, 0] : [level, level, level, 255]),
                    "\(x), \(y)"
                )
            }
        }
        let small = try show(file, 1, 9) { $0.target = .fit(height: 2) }
        #expect(small.size == PixelSize(width: 3, height: 2) || small.size == PixelSize(width: 2, height: 2))
    }

    @Test func `each page is turned upright before it is stacked`() throws {
        var tree = TIFFTree(directories: [])
        for (index, width) in [2, 3].enumerated() {
            tree.directories.append(
                TIFFTree.Directory(
                    longs: [
                        256: [width], 257: [1], 258: [8], 259: [1], 262: [1], 274: [index == 0 ? 1 : 6],
                        277: [1],
                        278: [1],
                    ],
                    strip: Data([1, 2, 3].prefix(width)),
                    next: index == 0 ? 1 : nil
                )
            )
        }
        let image = try show(tree.data, 0, 2)
        #expect(image.size == PixelSize(width: 2, height: 4))
        let levels = stride(from: 0, to: image.bytes.count, by: 4).map { image.bytes[$0] }
        #expect(levels == [1, 2, 1, 0, 2, 0, 3, 0])
        #expect(try Self.info(tree.data, 0, 2).size == image.size)
    }

    @Test(arguments: [0, 1, 2]) func `a chain of pages with a cycle ends`(start: Int) throws {
        let file = Self.tiff(widths: [3, 5, 4], next: start)
        #expect(CodecRegistry.standard.details(of: file).pageCount == 3)
        #expect(try show(file, 1000).size.width == 4)
        #expect(try show(file, 0, 256).size.height == 6)
    }

    @Test(arguments: [3, 1 << 30, 0xFFFF_FFFF]) func `a chain that leaves the file ends`(next: Int) throws {
        // Small numbers are indices of directories.
        let file = Self.tiff(widths: [3, 5, 4], next: next + 100)
        #expect((3...9).contains(CodecRegistry.standard.details(of: file).pageCount))
        #expect(try show(file, 2).size.width == 4)
    }

    @Test func `the chain is read in both byte orders and in BigTIFF`() throws {
        for isLittleEndian in [true, false] {
            for isBig in [true, false] {
                var file = TIFFFile(width: 2, strips: [[1, 2]])
                (file.isLittleEndian, file.isBig) = (isLittleEndian, isBig)
                // The chain continues with the first directory, which is read once.
                file.nextDirectory = isBig ? 18 : 10
                #expect(CodecRegistry.standard.details(of: file.data).pageCount == 1)
                #expect(try show(file.data, 7).bytes == [1, 2])
            }
        }
    }

    @Test func `pages are within the limits of one image`() throws {
        let file = Self.tiff(widths: [3, 5, 4])
        let limits = DecodeLimits(maxPixelCount: 10)
        #expect(try show(file, 1) { $0.limits = limits }.size.width == 5)
        #expect(decodeError { try show(file, 0, 2) { $0.limits = limits } }?.code == .limitExceeded)
        #expect(
            decodeError {
                try CodecRegistry.tested.info(of: file, limits: limits, pages: PageSelection(count: 2))
            }?.code == .limitExceeded
        )
    }

    @Test func `a damaged page is an error of that page only`() throws {
        var tree = TIFFTree(
            directories: [4, 70_000].map { height in
                TIFFTree.Directory(
                    longs: [
                        256: [1], 257: [height], 258: [8], 259: [1], 262: [1], 277: [1], 278: [height],
                    ],
                    strip: Data([9, 9, 9, 9])
                )
            }
        )
        tree.directories[0].next = 1
        #expect(try show(tree.data, 0).size == PixelSize(width: 1, height: 4))
        #expect(decodeError { try show(tree.data, 1) } != nil)
        #expect(decodeError { try show(tree.data, 0, 2) } != nil)
    }

    // MARK: - Icons

    @Test func `an image of an icon is decoded by its number, and without one the largest`() throws {
        let pngs = try [16, 48, 32].map { side in
            try PNGEncoder().encode(TestImages.photograph(PixelSize(width: side, height: side)))
        }
        let file = IconParts(pngs).data
        #expect(CodecRegistry.standard.details(of: file).pageCount == 3)
        for (page, side) in [16, 48, 32, 32].enumerated() {
            let image = try show(file, page)
            #expect(image.size == PixelSize(width: side, height: side) && image.format == .ico)
        }
        #expect(try CodecRegistry.tested.decode(file).size.width == 48)
        #expect(try show(file, 0, 3).size == PixelSize(width: 48, height: 96))
    }

    // MARK: - Animations

    @Test func `a still of an animation shows the selected frame`() throws {
        let animation = CodecConformanceTests.animation
        for encoder in [GIFEncoder(), PNGEncoder(), WebPEncoder(isLossless: true)] as [any ImageEncoder] {
            guard CodecRegistry.standard.encoder(for: encoder.format) != nil else { continue }
            let file = try encoder.encode(animation)
            let frames = try CodecRegistry.tested.decode(file).allFrames()
            for (page, expected) in [(0, 0), (2, 2), (4, 4), (99, 4)] {
                let still = try show(file, page) { $0.frames = .first }
                #expect(still.animation == nil && still.format == encoder.format)
                #expect(still.rgba8() == frames[expected].rgba8(), "\(encoder.format) \(page)")
            }
            let stack = try show(file, 3, 9) { $0.frames = .first }
            #expect(stack.size == PixelSize(width: animation.size.width, height: 2 * animation.size.height))
            #expect(stack.rgba8() == frames[3].rgba8() + frames[4].rgba8())
            let pages = PageSelection(first: 3, count: 9)
            let header = try CodecRegistry.tested.info(
                of: file,
                limits: DecodeLimits(),
                pages: pages,
                frames: .first
            )
            #expect(header.size == stack.size && header.frameCount == 5)
            #expect(try show(file, 2).animation?.frameCount == 5, "an animation has all frames")
        }
    }

    @Test func `other formats have one page`() throws {
        let image = TestImages.photograph(PixelSize(width: 12, height: 9))
        let file = try JPEGEncoder().encode(image)
        #expect(try show(file, 5, 5).bytes == CodecRegistry.tested.decode(file).bytes)
        #expect(try show(file, 5, 5) { $0.frames = .first }.size == image.size)
    }

    @Test func `a selection is moved into its range`() {
        let selection = PageSelection(first: -5, count: .max)
        #expect(selection.first == 0 && selection.count == PageSelection.maxCount)
        #expect(PageSelection(first: 3, count: 0).count == 1)
        #expect(PageSelection(first: .max, count: 9).indices(of: 4) == 3..<4)
        #expect(PageSelection(first: 1, count: 9).indices(of: 4) == 1..<4)
    }
}
