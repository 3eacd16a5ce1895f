import CalotypeCore
import CalotypeTesting
import CalotypeTransforms
import TestSupport
import Testing
import WorkerSupport

@Suite(.blocking, .inBothModes) struct CropTests {
    private static let image = TestImages.asymmetric(PixelSize(width: 20, height: 10), format: .rgba8)
    private static let rect = PixelRect(x: 2, y: 3, width: 20, height: 10)

    @Test func `keys are pinned`() {
        #expect(TransformChain.crop(to: Self.rect).cacheIdentity == "crop-1(x=2,y=3,size=20x10)")
        let size = TransformChain.crop(to: Self.rect.size, gravity: .topLeft)
        #expect(size.cacheIdentity == "crop-1(size=20x10,gravity=topLeft)")
        let ratio = TransformChain.crop(toAspectRatio: 1.5)
        #expect(ratio.cacheIdentity == "crop-1(aspectRatio=1.5,gravity=center)")
    }

    @Test func `every crop conforms to the transform rules, and keys distinguish all properties`() throws {
        try TransformConformance(.crop(to: Self.rect)).run(changed: [
            .crop(to: PixelRect(x: 1, y: 3, width: 20, height: 10)),
            .crop(to: PixelRect(x: 2, y: 4, width: 20, height: 10)),
            .crop(to: PixelRect(x: 2, y: 3, width: 21, height: 10)),
            .crop(to: PixelRect(x: 2, y: 3, width: 20, height: 11)),
        ])
        try TransformConformance(.crop(to: Self.rect.size)).run(changed: [
            .crop(to: PixelSize(width: 21, height: 10)),
            .crop(to: PixelSize(width: 20, height: 11)),
            .crop(to: Self.rect.size, gravity: .bottom),
            .smartCrop(to: Self.rect.size),
        ])
        try TransformConformance(.crop(toAspectRatio: 1.5)).run(changed: [
            .crop(toAspectRatio: 1.5.nextUp), .crop(toAspectRatio: 1.5, gravity: .top),
        ])
    }

    @Test(arguments: PixelFormat.eightBitFormats)
    func `a crop returns the pixels of the rectangle`(format: PixelFormat) throws {
        let image = TestImages.asymmetric(PixelSize(width: 20, height: 10), format: format)
        let part = try TransformChain.crop(to: PixelRect(x: 4, y: 3, width: 6, height: 5)).tested.apply(
            to: image
        )
        #expect(part.size == PixelSize(width: 6, height: 5))
        #expect(part.pixelFormat == format)
        #expect(part.allPixels == image.moved(to: part.size) { ($0 + 4, $1 + 3) })
    }

    private static let rests: [(rect: PixelRect, rest: PixelRect?)] = [
        (PixelRect(x: -5, y: -5, width: 10, height: 10), PixelRect(x: 0, y: 0, width: 5, height: 5)),
        (PixelRect(x: 15, y: 8, width: 10, height: 10), PixelRect(x: 15, y: 8, width: 5, height: 2)),
        (PixelRect(x: 19, y: 9, width: .max, height: .max), PixelRect(x: 19, y: 9, width: 1, height: 1)),
        (PixelRect(x: .min, y: -1, width: .max, height: .max), nil),
        (PixelRect(x: 20, y: 0, width: 5, height: 5), nil),
        (PixelRect(x: 0, y: -5, width: 5, height: 5), nil),
        (PixelRect(x: .max, y: .max, width: .max, height: .max), nil),
    ]

    @Test(arguments: rests)
    func `a crop is clipped to the image, and an empty one is an error`(
        rect: PixelRect,
        rest: PixelRect?
    ) throws {
        let chain = TransformChain.crop(to: rect)
        guard let rest else {
            let error = #expect(throws: TransformError.self) { try chain.tested.apply(to: Self.image) }
            #expect(error?.code == .emptyResult)
            return
        }
        let part = try chain.tested.apply(to: Self.image)
        #expect(part.size == rest.size)
        #expect(part.allPixels == Self.image.moved(to: part.size) { ($0 + rest.x, $1 + rest.y) })
    }

    @Test(arguments: Gravity.allCases) func `a crop to a size is anchored at a side or corner`(
        gravity: Gravity
    ) throws {
        let part = try TransformChain.crop(to: PixelSize(width: 6, height: 4), gravity: gravity)
            .tested.apply(to: Self.image)
        let index = try #require(Gravity.allCases.firstIndex(of: gravity))
        let (x, y) = ([0, 7, 14][index % 3], [0, 3, 6][index / 3])
        #expect(part.size == PixelSize(width: 6, height: 4))
        #expect(part.allPixels == Self.image.moved(to: part.size) { ($0 + x, $1 + y) })
    }

    @Test func `a size is clamped to that of the image`() throws {
        let wide = try TransformChain.crop(to: PixelSize(width: .max, height: 4)).tested.apply(to: Self.image)
        #expect(wide.size == PixelSize(width: 20, height: 4))
        let all = try TransformChain.crop(to: PixelSize(width: .max, height: .max)).tested.apply(
            to: Self.image
        )
        #expect(all === Self.image)
    }

    @Test(arguments: [
        (1.0, PixelSize(width: 10, height: 10)), (2.0, PixelSize(width: 20, height: 10)),
        (16.0 / 9, PixelSize(width: 18, height: 10)), (3.0, PixelSize(width: 20, height: 7)),
        (1e308, PixelSize(width: 20, height: 1)), (1e-300, PixelSize(width: 1, height: 10)),
    ])
    func `a crop to an aspect ratio is the largest possible`(ratio: Double, size: PixelSize) throws {
        let part = try TransformChain.crop(toAspectRatio: ratio, gravity: .bottomRight).tested.apply(
            to: Self.image
        )
        #expect(part.size == size)
        let (x, y) = (20 - size.width, 10 - size.height)
        #expect(part.allPixels == Self.image.moved(to: size) { ($0 + x, $1 + y) })
    }

    @Test(arguments: [
        TransformChain.crop(to: PixelRect(x: 0, y: 0, width: 0, height: 1)),
        .crop(to: PixelRect(x: 0, y: 0, width: 1, height: -1)),
        .crop(to: PixelSize(width: 0, height: 4)),
        .crop(toAspectRatio: 0), .crop(toAspectRatio: -1), .crop(toAspectRatio: .nan),
        .crop(toAspectRatio: .infinity),
        .smartCrop(to: PixelSize(width: 4, height: .min)),
    ])
    func `an invalid crop is refused before work starts`(chain: TransformChain) {
        let error = #expect(throws: TransformError.self) { try chain.validate() }
        #expect(error?.code == .invalidParameter)
    }
}
