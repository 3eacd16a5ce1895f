import Calotype
import Foundation

/// A synthetic image with the features that make photographs hard to encode: soft gradients, texture, sharp
/// edges, grain.
///
/// A sky with a sun over three ranges of hills; every number comes from the seed.
struct Landscape {
    private struct Range {
        /// The top row of the range in each column.
        let ridge: [Float]
        let tone: Tone
    }

    private static let noiseSide = 64

    private let size: PixelSize
    private let ranges: [Range]
    private let zenith: Tone
    private let horizon: Tone
    private let sun: (x: Float, y: Float)
    private let noise: [Float]
    private let seed: UInt32

    init(size: PixelSize, seed: UInt64) {
        var random = SplitMix(seed: seed)
        let hue = Float.random(in: 0..<1, using: &random)
        self.size = size
        self.seed = UInt32(truncatingIfNeeded: random.next())
        zenith = Tone(hue: 0.5 + hue * 0.2, saturation: 0.6, brightness: 0.75)
        horizon = Tone(hue: hue, saturation: 0.35, brightness: 1)
        sun = (Float.random(in: 0.15...0.85, using: &random), Float.random(in: 0.1...0.35, using: &random))
        noise = (0..<Self.noiseSide * Self.noiseSide).map { _ in Float.random(in: -1...1, using: &random) }
        ranges = (0..<3).map { depth in
            let nearness = Float(depth) / 2
            return Range(
                ridge: Self.ridge(
                    width: size.width,
                    height: size.height,
                    top: 0.42 + nearness * 0.27,
                    &random
                ),
                tone: Tone(
                    hue: 0.2 + hue * 0.25,
                    saturation: 0.25 + nearness * 0.4,
                    brightness: 0.75 - nearness * 0.4
                )
            )
        }
    }

    /// Draws the image, opaque.
    func image() -> Image {
        let bytesPerRow = size.width * 3
        let pixels = PixelBuffer(byteCount: bytesPerRow * size.height) { bytes in
            for y in 0..<size.height {
                let row = UnsafeMutableRawBufferPointer(
                    rebasing: bytes[y * bytesPerRow..<(y + 1) * bytesPerRow]
                )
                fill(row, y: y)
            }
        }
        return Image(size: size, pixelFormat: .rgb8, pixels: pixels)
    }

    private func fill(_ row: UnsafeMutableRawBufferPointer, y: Int) {
        let v = Float(y) / Float(size.height)
        let sky = zenith.mixed(with: horizon, min(1, v * 1.6))
        for x in 0..<size.width {
            let texture = texture(x: x, y: y)
            var tone = sky.lit(by: glow(x: x, v: v) + texture * 5)
            for range in ranges where Float(y) > range.ridge[x] {
                let depth = (Float(y) - range.ridge[x]) / Float(size.height)
                tone = range.tone.lit(by: texture * 22 - depth * 60)
            }
            tone.lit(by: grain(x: x, y: y)).write(to: row, at: x * 3)
        }
    }

    /// Returns the light of the sun: a disc in a wide glow.
    private func glow(x: Int, v: Float) -> Float {
        let aspect = Float(size.width) / Float(size.height)
        let dx = (Float(x) / Float(size.width) - sun.x) * aspect
        let dy = v - sun.y
        let squared = dx * dx + dy * dy
        return squared < 0.0025 ? 120 : max(0, 70 - squared * 260)
    }

    /// Returns smooth noise, -1...1, at two scales.
    private func texture(x: Int, y: Int) -> Float {
        let unit = 24 / Float(min(size.width, size.height))
        let coarse = smoothNoise(Float(x) * unit, Float(y) * unit)
        return (coarse + smoothNoise(Float(x) * unit * 5, Float(y) * unit * 5) * 0.6) / 1.6
    }

    private func smoothNoise(_ x: Float, _ y: Float) -> Float {
        let (column, row) = (Int(x), Int(y))
        let (right, down) = (x - Float(column), y - Float(row))
        let top = lattice(column, row) * (1 - right) + lattice(column + 1, row) * right
        let bottom = lattice(column, row + 1) * (1 - right) + lattice(column + 1, row + 1) * right
        return top * (1 - down) + bottom * down
    }

    private func lattice(_ column: Int, _ row: Int) -> Float {
        noise[(row % Self.noiseSide) * Self.noiseSide + column % Self.noiseSide]
    }

    /// Returns sensor noise: an independent value for each pixel.
    private func grain(x: Int, y: Int) -> Float {
        var hash =
            UInt32(truncatingIfNeeded: x) &* 0x9E37_79B1 ^ UInt32(truncatingIfNeeded: y) &* 0x85EB_CA77 ^ seed
        hash = (hash ^ (hash >> 15)) &* 0x2C1B_3C6D
        return Float((hash >> 16) & 15) - 7.5
    }

    private static func ridge(width: Int, height: Int, top: Float, _ random: inout SplitMix) -> [Float] {
        let waves = (1...5).map { octave in
            (
                frequency: Float(octave * octave) * Float.random(in: 1...2.4, using: &random),
                phase: Float.random(in: 0...6.28, using: &random),
                height: 0.09 / Float(octave * octave)
            )
        }
        return (0..<width).map { x in
            let u = Float(x) / Float(width)
            let wave = waves.reduce(Float(0)) { $0 + sinf(u * 6.28 * $1.frequency + $1.phase) * $1.height }
            return (top + wave) * Float(height)
        }
    }
}
