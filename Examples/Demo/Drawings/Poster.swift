import Calotype
import Foundation

/// A synthetic image typical of PNG: flat shapes with smooth edges, with or without transparent parts.
struct Poster {
    private struct Disc {
        let x: Float
        let y: Float
        let radius: Float
        let tone: Tone
    }

    private let size: PixelSize
    private let discs: [Disc]
    private let top: Tone
    private let bottom: Tone
    private let isTranslucent: Bool

    init(size: PixelSize, seed: UInt64, isTranslucent: Bool) {
        var random = SplitMix(seed: seed)
        let hue = Float.random(in: 0..<1, using: &random)
        self.size = size
        self.isTranslucent = isTranslucent
        top = Tone(hue: hue, saturation: 0.55, brightness: 0.95)
        bottom = Tone(hue: hue + 0.35, saturation: 0.7, brightness: 0.6)
        let side = Float(min(size.width, size.height))
        discs = (0..<7).map { number in
            Disc(
                x: Float.random(in: 0...Float(size.width), using: &random),
                y: Float.random(in: 0...Float(size.height), using: &random),
                radius: side * Float.random(in: 0.08...0.3, using: &random),
                tone: Tone(hue: hue + Float(number) * 0.13, saturation: 0.65, brightness: 1)
            )
        }
    }

    /// Draws the image; if translucent, its corners are round and empty, and its lower half fades.
    func image() -> Image {
        let step = isTranslucent ? 4 : 3
        let pixels = PixelBuffer(byteCount: size.pixelCount * step) { bytes in
            for y in 0..<size.height {
                for x in 0..<size.width {
                    let offset = (y * size.width + x) * step
                    tone(x: Float(x) + 0.5, y: Float(y) + 0.5).write(to: bytes, at: offset)
                    if isTranslucent { bytes[offset + 3] = alpha(x: Float(x) + 0.5, y: Float(y) + 0.5) }
                }
            }
        }
        return Image(size: size, pixelFormat: isTranslucent ? .rgba8 : .rgb8, pixels: pixels)
    }

    private func tone(x: Float, y: Float) -> Tone {
        discs.reduce(top.mixed(with: bottom, y / Float(size.height))) { below, disc in
            let (dx, dy) = (x - disc.x, y - disc.y)
            let squared = dx * dx + dy * dy
            let outer = disc.radius + 0.5
            guard squared < outer * outer else { return below }
            return below.mixed(with: disc.tone, min(1, outer - sqrtf(squared)) * 0.8)
        }
    }

    private func alpha(x: Float, y: Float) -> UInt8 {
        let (width, height) = (Float(size.width), Float(size.height))
        let radius = min(width, height) * 0.2
        let dx = max(0, max(radius - x, x - (width - radius)))
        let dy = max(0, max(radius - y, y - (height - radius)))
        let inside = max(0, min(1, radius - sqrtf(dx * dx + dy * dy) + 0.5))
        let fade = min(1, 1.6 - 1.2 * y / height)
        return UInt8(255 * inside * fade)
    }
}
