import CalotypeCore
import CalotypeSupport

/// The image that a transform sheet shows by default: a sky with a sun, hills before it, and grain.
enum SheetPicture {
    private typealias Tone = (red: Float, green: Float, blue: Float)

    private static let hills: [(top: Float, height: Float, waves: Float, tone: Tone)] = [
        (0.45, 0.07, 5, (96, 124, 138)), (0.58, 0.09, 9, (70, 104, 84)), (0.76, 0.06, 6, (38, 62, 44)),
    ]

    static func drawn(_ size: PixelSize) -> Image {
        let pixels = PixelBuffer(byteCount: size.pixelCount * 3) { bytes in
            for y in 0..<size.height {
                for x in 0..<size.width {
                    let tone = tone(Float(x) / Float(size.width), Float(y) / Float(size.height))
                    let offset = (y * size.width + x) * 3
                    let grain = grain(UInt32(x), UInt32(y))
                    bytes[offset] = byte(tone.red + grain)
                    bytes[offset + 1] = byte(tone.green + grain)
                    bytes[offset + 2] = byte(tone.blue + grain)
                }
            }
        }
        return Image(size: size, pixelFormat: .rgb8, pixels: pixels)
    }

    /// Returns the colour at a point; both coordinates are from 0 to 1.
    private static func tone(_ x: Float, _ y: Float) -> Tone {
        let (dx, dy) = ((x - 0.68) * 4 / 3, y - 0.26)
        let distance = dx * dx + dy * dy
        let light = distance < 0.006 ? 150 : max(0, 60 - distance * 240)
        var tone = (red: 90 + 130 * y + light, green: 150 + 50 * y + light, blue: 220 - 60 * y + light / 3)
        for hill in hills {
            let wave = sinf(x * hill.waves + hill.top * 9) + sinf(x * hill.waves * 3.7) / 3
            let depth = y - hill.top - wave * hill.height
            guard depth > 0 else { continue }
            tone = (hill.tone.red - depth * 60, hill.tone.green - depth * 60, hill.tone.blue - depth * 60)
        }
        return tone
    }

    /// Returns the noise of a pixel, independent of that of its neighbours.
    private static func grain(_ x: UInt32, _ y: UInt32) -> Float {
        let hash = x &* 0x9E37_79B1 ^ y &* 0x85EB_CA77
        return Float((((hash ^ hash >> 15) &* 0x2C1B_3C6D) >> 16) & 15) - 7.5
    }

    private static func byte(_ level: Float) -> UInt8 {
        UInt8(max(0, min(255, level)))
    }
}
