import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing
import WorkerSupport

@testable import CalotypeTransforms

/// Transforms of images in other colour spaces than sRGB.
@Suite(.blocking, .inBothModes) struct WideGamutTransformTests {
    private static let size = PixelSize(width: 12, height: 8)
    private static let red = RGBAColor(red: 255, green: 0, blue: 0)

    private static func image(_ space: ColorSpace = .displayP3, format: PixelFormat = .rgb8) -> Image {
        TestImages.photograph(size, format: format)
            .replacing(animation: nil, metadata: ImageMetadata(colorSpace: space))
    }

    private static let other = ColorSpace.cicp(primaries: 9, transfer: 13)

    @Test(
        arguments: [
            .resize(width: 6), .crop(to: PixelSize(width: 4, height: 4)), .flip(.vertical),
            .rotate(.clockwise90),
            .blur(sigma: 1), .sharpen(), .trim(), .smartCrop(to: PixelSize(width: 4, height: 4)), .circle(),
            .roundCorners(radius: 2), .pad(by: PixelInsets(top: 1, left: 1, bottom: 1, right: 1)),
        ] as [TransformChain]
    )
    func `geometry and filters keep the colours of the image`(chain: TransformChain) throws {
        for space in [ColorSpace.displayP3, Self.other] {
            let result = try chain.tested.apply(to: Self.image(space))
            let plain = try chain.tested.apply(to: Self.image(.sRGB))
            #expect(result.colorSpace == space && result.rgba8() == plain.rgba8(), "\(chain.cacheIdentity)")
        }
    }

    @Test(
        arguments: [
            .grayscale, .sepia(), .tint(.black), .adjust(saturation: 0.5), .invert, .overlay(image(.sRGB)),
        ] as [TransformChain]
    )
    func `other effects receive sRGB, and return it`(chain: TransformChain) throws {
        let image = Self.image()
        let result = try TransformChain.flip(.horizontal).appending(chain).tested.apply(to: image)
        let converted = try image.convertedToSRGB()
        let expected = try TransformChain.flip(.horizontal).appending(chain).tested.apply(to: converted)
        #expect(result.colorSpace == .sRGB && result.rgba8() == expected.rgba8(), "\(chain.cacheIdentity)")
    }

    @Test func `a colour given in sRGB has the levels of Display P3`() throws {
        let chain = TransformChain.pad(
            by: PixelInsets(top: 1, left: 1, bottom: 1, right: 1),
            color: Self.red
        )
        let result = try chain.tested.apply(to: Self.image())
        // CSS Color 4 section 10.4.
        #expect(result.colorSpace == .displayP3 && Array(result.rgba8().prefix(3)) == [234, 51, 35])
        let shown = try result.convertedToSRGB().rgba8().prefix(3).map(Int.init)
        #expect(zip(shown, [255, 0, 0]).allSatisfy { abs($0 - $1) <= 2 }, "\(shown)")
        let red = RGBColor(red: 255, green: 0, blue: 0)
        for chain in [TransformChain.flatten(onto: red), .border(width: 1, color: Self.red)] {
            let clear = Self.image(format: .rgba8)
            #expect(try chain.tested.apply(to: clear).colorSpace == .displayP3)
        }
    }

    @Test func `a colour whose levels are unknown converts the image to sRGB`() throws {
        let insets = PixelInsets(top: 1, left: 1, bottom: 1, right: 1)
        let image = Self.image(Self.other)
        let result = try TransformChain.pad(by: insets, color: Self.red).tested.apply(to: image)
        #expect(result.colorSpace == .sRGB && Array(result.rgba8().prefix(3)) == [255, 0, 0])
        let white = try TransformChain.pad(by: insets, color: .white).tested.apply(to: image)
        #expect(white.colorSpace == Self.other && Array(white.rgba8().prefix(3)) == [255, 255, 255])
    }

    @Test func `a custom transform receives sRGB`() throws {
        struct Own: ImageTransform {
            var cacheIdentity: String { "own-1" }
            func apply(to image: Image) -> Image {
                #expect(image.colorSpace == .sRGB)
                return image
            }
        }
        let image = Self.image()
        let result = try TransformChain(Own()).tested.apply(to: image)
        let converted = try image.convertedToSRGB()
        #expect(result.colorSpace == .sRGB && result.rgba8() == converted.rgba8())
    }

    @Test func `gray, black and white have the same levels in Display P3`() {
        for level in [UInt8(0), 1, 127, 200, 255] {
            let gray = RGBColor(red: level, green: level, blue: level)
            #expect(gray.levels(in: .displayP3) == gray)
        }
        #expect(RGBAColor.clear.levels(in: Self.other) == .clear)
        #expect(RGBColor(red: 9, green: 9, blue: 9).levels(in: Self.other) == nil)
    }
}
