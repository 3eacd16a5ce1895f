import CalotypeCore
import CalotypeTesting
import CalotypeTransforms
import TestSupport
import Testing
import WorkerSupport

@Suite(.blocking, .inBothModes) struct PlacedOverlayTests {
    private static let base = RuledPictures.solid(
        RGBAColor(red: 0, green: 0, blue: 255),
        width: 12,
        height: 10
    )
    private static let badge = RuledPictures.solid(
        RGBAColor(red: 255, green: 0, blue: 0),
        width: 4,
        height: 2
    )
    private static let red: [UInt8] = [255, 0, 0, 255]

    private static func chain(
        of image: Image = badge,
        size: PixelSize = PixelSize(width: 4, height: 2),
        _ across: OverlayRun,
        _ down: OverlayRun,
        opacity: Double = 1
    ) -> TransformChain {
        .overlay(OverlayImage(image), scaledTo: size, across: across, down: down, opacity: opacity)
    }

    /// The positions of red pixels in the result.
    private func redPixels(_ chain: TransformChain, on image: Image = base) throws -> [[Int]] {
        let result = try chain.tested.apply(to: image)
        #expect(result.size == image.size)
        return result.allPixels.enumerated().filter { $0.element == Self.red }.map {
            [$0.offset % image.size.width, $0.offset / image.size.width]
        }
    }

    private func box(_ columns: Range<Int>, _ rows: Range<Int>) -> [[Int]] {
        rows.flatMap { y in columns.map { [$0, y] } }
    }

    @Test func `keys are pinned and distinguish all properties`() throws {
        let chain = Self.chain(OverlayRun(3), OverlayRun(-2))
        #expect(
            chain.cacheIdentity == """
                placed-overlay-1(sha256=11b944b833b759f73ab686378c8eba4166ca5517951310881cb6178ce69c08ea,\
                size=4x2,across=3+1x0,down=-2+1x0,opacity=1.0)
                """
        )
        let other = RuledPictures.solid(RGBAColor(red: 254, green: 0, blue: 0), width: 4, height: 2)
        try TransformConformance(chain).run(
            changed: [
                Self.chain(of: other, OverlayRun(3), OverlayRun(-2)),
                Self.chain(size: PixelSize(width: 5, height: 2), OverlayRun(3), OverlayRun(-2)),
                Self.chain(OverlayRun(2), OverlayRun(-2)), Self.chain(OverlayRun(3), OverlayRun(2)),
                Self.chain(OverlayRun(start: 3, period: 4, count: 2), OverlayRun(-2)),
                Self.chain(OverlayRun(start: 3, period: 5, count: 2), OverlayRun(-2)),
                Self.chain(OverlayRun(3), OverlayRun(start: -2, period: 4, count: 2)),
                Self.chain(OverlayRun(3), OverlayRun(-2), opacity: 0.5),
            ]
        )
    }

    @Test(arguments: [
        (0, 0, 0..<4, 0..<2), (3, 5, 3..<7, 5..<7), (8, 8, 8..<12, 8..<10), (-3, -1, 0..<1, 0..<1),
        (11, 9, 11..<12, 9..<10), (-4, 0, 0..<0, 0..<2), (12, 0, 0..<0, 0..<2), (0, -2_000, 0..<4, 0..<0),
        (2_000_000, -2_000_000, 0..<0, 0..<0),
    ])
    func `an overlay covers exactly its pixels, inside and outside of the image`(
        x: Int,
        y: Int,
        columns: Range<Int>,
        rows: Range<Int>
    ) throws {
        #expect(try redPixels(Self.chain(OverlayRun(x), OverlayRun(y))) == box(columns, rows))
    }

    @Test func `a scaled overlay covers its size`() throws {
        let large = Self.chain(size: PixelSize(width: 9, height: 7), OverlayRun(1), OverlayRun(2))
        #expect(try redPixels(large) == box(1..<10, 2..<9))
        let small = Self.chain(size: PixelSize(width: 1, height: 1), OverlayRun(6), OverlayRun(6))
        #expect(try redPixels(small) == box(6..<7, 6..<7))
    }

    @Test(arguments: [
        // The first tile is partly outside, and two more follow at a distance of five.
        (
            OverlayRun(start: -2, period: 5, count: 3), OverlayRun(1), [0, 1, 3, 4, 5, 6, 8, 9, 10, 11],
            [1, 2]
        ),
        // No more than two, although a third would be visible.
        (OverlayRun(start: 0, period: 5, count: 2), OverlayRun(8), [0, 1, 2, 3, 5, 6, 7, 8], [8, 9]),
        (OverlayRun(4), OverlayRun(start: 0, period: 4, count: 3), [4, 5, 6, 7], [0, 1, 4, 5, 8, 9]),
        (
            OverlayRun(start: 1, period: 7, count: 2), OverlayRun(start: -1, period: 6, count: 2),
            [1, 2, 3, 4, 8, 9, 10, 11], [0, 5, 6]
        ),
    ])
    func `tiles are repeated as often as asked, at their distance`(
        across: OverlayRun,
        down: OverlayRun,
        columns: [Int],
        rows: [Int]
    ) throws {
        let expected = rows.flatMap { y in columns.map { [$0, y] } }
        #expect(try redPixels(Self.chain(across, down)) == expected)
    }

    @Test func `a hundred thousand tiles of one pixel cover an image`() throws {
        let dot = RuledPictures.solid(RGBAColor(red: 255, green: 0, blue: 0), width: 1, height: 1)
        let base = RuledPictures.solid(RGBAColor(red: 0, green: 0, blue: 255), width: 400, height: 300)
        let chain = Self.chain(
            of: dot,
            size: PixelSize(width: 1, height: 1),
            OverlayRun(start: 0, period: 1, count: 400),
            OverlayRun(start: 0, period: 1, count: 300)
        )
        #expect(try redPixels(chain, on: base).count == 120_000)
    }

    @Test(arguments: [(0.5, [128, 0, 128, 255]), (0, [0, 0, 255, 255])] as [(Double, [UInt8])])
    func `opacity scales the visibility of the overlay`(opacity: Double, expected: [UInt8]) throws {
        let chain = Self.chain(OverlayRun(0), OverlayRun(0), opacity: opacity)
        #expect(try chain.tested.apply(to: Self.base).pixel(0, 0) == expected)
    }

    @Test func `an overlay on each frame of an animation is scaled once`() throws {
        let frames = FakeFrameSource(frameCount: 3, size: PixelSize(width: 12, height: 10))
        let animation = Animation(source: frames)
        let image = try animation.decodeFrame(at: 0).replacing(animation: animation)
        let chain = Self.chain(size: PixelSize(width: 6, height: 6), OverlayRun(3), OverlayRun(2))
        let result = try #require(try chain.tested.apply(to: image).animation)
        for index in 0..<3 {
            let frame = try result.decodeFrame(at: index)
            #expect(frame.pixel(3, 2) == Self.red && frame.pixel(8, 7) == Self.red, "\(index)")
            #expect(frame.pixel(2, 2) == frame.pixel(9, 7), "\(index)")
            #expect(frame.pixel(2, 2) != Self.red, "\(index)")
        }
    }

    @Test(arguments: [(-5, -7), (3, 2), (-39, -29), (11, 9), (40, 2), (-50, -40)])
    func `on an animation, the visible part of a large overlay gives the same pixels`(x: Int, y: Int) throws {
        let frames = FakeFrameSource(frameCount: 2, size: PixelSize(width: 12, height: 10))
        let animation = Animation(source: frames)
        let first = try animation.decodeFrame(at: 0)
        let overlay = TestImages.asymmetric(PixelSize(width: 40, height: 30))
        let chain = Self.chain(of: overlay, size: overlay.size, OverlayRun(x), OverlayRun(y))
        let animated = first.replacing(animation: animation)
        let result = try #require(try chain.tested.apply(to: animated).animation)
        for index in 0..<2 {
            let still = try chain.apply(to: try animation.decodeFrame(at: index))
            #expect(try result.decodeFrame(at: index).rgba8() == still.rgba8(), "\(index)")
        }
    }

    @Test func `a deferred overlay is decoded once for all frames, or fails the chain`() throws {
        let count = SharedState(0)
        let deferred = OverlayImage(size: Self.badge.size, digest: "badge", byteCount: 100) {
            count.withLock { $0 += 1 }
            return Self.badge
        }
        let chain = TransformChain.overlay(
            deferred,
            scaledTo: Self.badge.size,
            across: OverlayRun(3),
            down: OverlayRun(2),
            opacity: 1
        )
        #expect(count.value == 0)
        let animation = Animation(source: FakeFrameSource(frameCount: 3, size: Self.base.size))
        let animated = try animation.decodeFrame(at: 0).replacing(animation: animation)
        let result = try #require(try chain.tested.apply(to: animated).animation)
        for index in 0..<3 { #expect(try result.decodeFrame(at: index).pixel(3, 2) == Self.red) }
        #expect(count.value == 1)
        #expect(try redPixels(chain) == box(3..<7, 2..<4))
        #expect(try chain.decodePlan(for: Self.base.size).overlayByteCount == 100)
        let broken = OverlayImage(size: Self.badge.size, digest: "broken", byteCount: 0) {
            throw CancellationError()
        }
        let failing = TransformChain.overlay(
            broken,
            scaledTo: Self.badge.size,
            across: OverlayRun(0),
            down: OverlayRun(0),
            opacity: 1
        )
        #expect(throws: CancellationError.self) { try failing.tested.apply(to: Self.base) }
    }

    @Test func `an overlay too large for its image, and invalid numbers, are errors`() throws {
        let large = Self.chain(size: PixelSize(width: 4_000, height: 4_000), OverlayRun(0), OverlayRun(0))
        #expect(throws: TransformError.self) { try large.tested.apply(to: Self.base) }
        let frames = FakeFrameSource(frameCount: 2, size: PixelSize(width: 12, height: 10))
        let animation = Animation(source: frames)
        let animated = try animation.decodeFrame(at: 0).replacing(animation: animation)
        #expect(throws: TransformError.self) { try large.tested.apply(to: animated) }
        let wrong = [
            Self.chain(OverlayRun(0), OverlayRun(0), opacity: 1.1),
            Self.chain(OverlayRun(0), OverlayRun(0), opacity: .nan),
            Self.chain(size: PixelSize(width: 0, height: 2), OverlayRun(0), OverlayRun(0)),
            Self.chain(size: PixelSize(width: 1_000_001, height: 1), OverlayRun(0), OverlayRun(0)),
            Self.chain(OverlayRun(3_000_000), OverlayRun(0)),
            Self.chain(OverlayRun(0), OverlayRun(start: 0, period: 1, count: 2)),
            Self.chain(OverlayRun(start: 0, period: 4, count: 0), OverlayRun(0)),
            Self.chain(OverlayRun(start: 0, period: 4, count: 1_000_001), OverlayRun(0)),
        ]
        for chain in wrong {
            #expect(throws: TransformError.self, "\(chain.cacheIdentity)") { try chain.validate() }
        }
    }
}
