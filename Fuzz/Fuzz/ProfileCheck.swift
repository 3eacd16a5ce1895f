import CalotypeCore
import FoundationEssentials

@testable import CalotypeCodecs

/// The checks of colour profiles reduced to the colours that they describe.
enum ProfileCheck {
    static func run(_ input: Data) {
        let space = ColorSpace.icc(input)
        precondition([nil, .sRGB].contains(space.retained(for: .gray8)), "gray is converted")
        guard let kept = space.retained(for: .rgb8) else { return }
        precondition(space.retained(for: .rgba8) == kept, "alpha does not affect colours")
        switch kept {
        case .icc(let compact):
            precondition(compact.count <= 8 << 10, "a compact profile has at most 8 KiB")
            precondition(kept.retained(for: .rgb8) == kept, "a compact profile does not change")
        case .cicp: precondition(kept == .displayP3, "other profiles have no code points")
        case .sRGB: break
        }
        // Black and white may deviate by 0.02 of light.
        precondition(difference(space, kept) <= 2, "the colours do not change")
    }

    /// The largest difference in sRGB of equal levels in two spaces.
    private static func difference(_ left: ColorSpace, _ right: ColorSpace) -> Int {
        zip(converted(from: left), converted(from: right)).map { abs(Int($0) - Int($1)) }.max() ?? 0
    }

    private static func converted(from space: ColorSpace) -> Data {
        let steps = 6
        let levels = (0..<steps * steps * steps).flatMap { index in
            [index % steps, index / steps % steps, index / (steps * steps)].map { UInt8($0 * 51) }
        }
        let pixels = PixelBuffer(byteCount: levels.count) { $0.copyBytes(from: levels) }
        let image = Image(
            size: PixelSize(width: steps * steps, height: steps),
            pixelFormat: .rgb8,
            pixels: pixels,
            metadata: ImageMetadata(colorSpace: space)
        )
        do throws(DecodeError) {
            return try image.convertedToSRGB().rgba8()
        } catch {
            preconditionFailure("\(error)")
        }
    }
}
