import CalotypeCore
import CalotypeTesting

extension Image {
    /// Draws an image pixel by pixel, row by row; a gray image takes red.
    static func drawn(
        _ width: Int,
        _ height: Int,
        _ format: PixelFormat = .rgb8,
        _ color: (_ x: Int, _ y: Int) -> RGBAColor
    ) -> Image {
        let size = PixelSize(width: width, height: height)
        var bytes: [UInt8] = []
        for index in 0..<size.pixelCount {
            let color = color(index % width, index / width)
            switch format {
            case .gray8: bytes.append(color.red)
            case .rgb8: bytes += [color.red, color.green, color.blue]
            case .rgba8: bytes += [color.red, color.green, color.blue, color.alpha]
            case .rgba16, .rgbaF16: preconditionFailure("drawn in 8 bits alone")
            }
        }
        let pixels = PixelBuffer(byteCount: bytes.count) { $0.copyBytes(from: bytes) }
        return Image(size: size, pixelFormat: format, pixels: pixels)
    }

    /// Rearranged pixels; `origin` maps a position in the result to its source position.
    func moved(
        to size: PixelSize,
        _ origin: (_ x: Int, _ y: Int) -> (x: Int, y: Int)
    ) -> [[UInt8]] {
        let bytes = [UInt8](rgba8())
        return (0..<size.pixelCount).map { index in
            let place = origin(index % size.width, index / size.width)
            let start = (place.y * self.size.width + place.x) * 4
            return Array(bytes[start..<start + 4])
        }
    }

    /// All pixels, row by row: red, green, blue, alpha.
    var allPixels: [[UInt8]] { moved(to: size) { ($0, $1) } }

    /// The values of a gray image, or the red channel of another, row by row.
    var firstChannel: [UInt8] {
        pixels.withUnsafeBytes { bytes in
            stride(from: 0, to: bytes.count, by: pixelFormat.bytesPerPixel).map { bytes[$0] }
        }
    }
}

extension RGBAColor {
    static let pureRed = RGBAColor(red: 255, green: 0, blue: 0)

    static func gray(_ value: Int, alpha: UInt8 = 255) -> RGBAColor {
        let value = UInt8(truncatingIfNeeded: value)
        return RGBAColor(red: value, green: value, blue: value, alpha: alpha)
    }
}

extension Animation {
    static func image(of frames: [Image]) -> Image {
        let numbers = Animation(source: FakeFrameSource(frameCount: frames.count))
        let animation = numbers.mapping(firstFrame: frames[0]) { frames[Int($0.firstChannel[0])] }
        return frames[0].replacing(animation: animation)
    }
}
