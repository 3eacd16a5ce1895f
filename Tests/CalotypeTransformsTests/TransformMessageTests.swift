import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing

@testable import CalotypeTransforms

/// The encoding of transforms for another process.
@Suite(.blocking) struct TransformMessageTests {
    private static let size = PixelSize(width: 33, height: 21)
    private static let overlay = TestImages.photograph(PixelSize(width: 5, height: 3), format: .rgba8)

    /// One transform of each kind, with each kind of parameter.
    private static let chains: [TransformChain] = [
        .resize(to: size, kernel: .cubic, light: .linear), .resize(toFit: size, enlarges: false),
        .resize(toFill: size), .resize(width: 7), .resize(height: 9),
        .crop(to: PixelRect(x: 1, y: 2, width: 3, height: 4)), .crop(to: size, gravity: .topLeft),
        .crop(toAspectRatio: 1 / 3), .smartCrop(to: size), .trim(), .trim(color: .clear, tolerance: 0),
        .pad(to: size, gravity: .bottom), .pad(by: PixelInsets(top: 1, left: 2, bottom: 3, right: 4)),
        .rotate(byDegrees: 0.1 + 0.2, background: .black), .rotate(.clockwise270), .flip(.vertical),
        .overlay(overlay, gravity: .top, margin: 3, opacity: 0.7, blend: .colorBurn),
        .overlay(overlay, isTiled: true, spacing: 2), .circle(),
        .overlay(
            OverlayImage(overlay),
            scaledTo: PixelSize(width: 7, height: 4),
            across: OverlayRun(start: -3, period: 9, count: 4),
            down: OverlayRun(2),
            opacity: 0.3
        ),
        .circle(border: Stroke(width: .pi, color: .black)), .border(width: 1e-300, color: .white),
        .roundCorners(radius: 4), .roundCorners(CornerRadii(topLeft: 1, bottomRight: 2.5)), .blur(sigma: 0.3),
        .sharpen(), .grayscale, .invert, .sepia(intensity: 0.9), .flatten(), .tint(.black, blend: .screen),
        .adjust(brightness: -0.1, contrast: 1.2, saturation: 0, gamma: 2, hueDegrees: 359),
        .sharpen(sigma: 2, amount: 0.1, onlyLuminance: true), .pixelate(side: 7), .equalize,
        .convolve(ConvolutionKernel(rows: [[0, 0.1, -1e-300]])), .noise(amount: 9, seed: .max),
        .duotone(intensity: 0.3, dark: RGBColor(red: 1, green: 2, blue: 3)), .monochrome(intensity: 0.1),
        .gradient(.black, degrees: 30, from: 0.1, to: 0.3), .toneCurves(red: ToneCurve { 255 - $0 }),
        .pad(to: size, backdrop: .averageColor, fillsTransparency: true),
        .pad(to: size, gravity: .top, backdrop: .blurred(sigma: 0.1 + 0.2)),
        .roundCorners(horizontalRadius: 0.1, verticalRadius: 7), .sharpenLightness(sigma: 0.7),
        .gray(by: .rec601), .saturation(aroundBrightness: 0.1),
    ]

    private static func message(_ chain: TransformChain) -> TransformMessage? {
        TransformMessage(leading: chain.steps, of: PixelSize(width: 66, height: 42))
    }

    @Test func `each transform round-trips through a message`() throws {
        for chain in Self.chains {
            let behind = TransformChain.blur(sigma: 1).appending(chain)
            let message = try #require(Self.message(behind))
            #expect(message.count == behind.steps.count, "\(chain.cacheIdentity)")
            let told = try TransformTable.decode(TransformTable.encode(message))
            let steps = TransformChain(steps: told.steps)
            #expect(steps == behind && steps.cacheIdentity == behind.cacheIdentity)
        }
    }

    @Test func `a chain without libvips steps, and steps after a custom one, are not sent`() {
        struct Own: ImageTransform {
            var cacheIdentity: String { "own-1" }
            func apply(to image: Image) -> Image { image }
        }
        let size = PixelSize(width: 66, height: 42)
        #expect(Self.message(.crop(to: Self.size)) == nil && Self.message(.trim()) == nil)
        #expect(Self.message(TransformChain(Own()).appending(.invert)) == nil)
        let both = TransformChain.invert.appending(.trim()).appending(TransformChain(Own()))
        #expect(Self.message(both.appending(.invert))?.count == 2)
        #expect(Self.message(.resize(toFit: size)) == nil, "the decode has made it")
        #expect(Self.message(.resize(toFit: Self.size))?.count == 1)
    }

    @Test func `an invalid message is an error`() throws {
        let message = try TransformTable.encode(#require(Self.message(.invert)))
        #expect(throws: (any Error).self) { try TransformTable.decode(Data()) }
        #expect(throws: (any Error).self) { try TransformTable.decode(message.dropLast()) }
        var renamed = message
        let name = try #require(message.firstRange(of: Data("Invert".utf8)))
        renamed.replaceSubrange(name, with: Data("Unvert".utf8))
        #expect(throws: DecodingError.self) { try TransformTable.decode(renamed) }
    }
}
