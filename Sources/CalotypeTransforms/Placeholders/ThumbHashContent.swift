import CalotypeCore

/// The decoded fields of a `ThumbHash`.
///
/// Integers of a few bits each: the averages of light, of yellow against blue and of red against green (6
/// each), the scale of light (5), the alpha flag (1), the number of waves of the shorter side (3), the scales
/// of the other two (6 each), the landscape flag (1); with alpha its average and its scale (4 each); then the
/// waves of all channels (4 each).
struct ThumbHashContent {
    /// The waves of light along each side; the longer one has ``maxWaves(hasAlpha:)``.
    let wavesX: Int
    let wavesY: Int
    /// True if the width is the longer side; both may have the same number of waves.
    let isWide: Bool
    let light: ThumbHashChannel
    let yellowBlue: ThumbHashChannel
    let redGreen: ThumbHashChannel
    /// `nil` for an opaque image.
    let alpha: ThumbHashChannel?

    private static let colorShape = ThumbHashChannel.Shape(x: 3, y: 3)
    private static let alphaShape = ThumbHashChannel.Shape(x: 5, y: 5)

    private static func maxWaves(hasAlpha: Bool) -> Int { hasAlpha ? 5 : 7 }

    private static func lightShape(_ wavesX: Int, _ wavesY: Int) -> ThumbHashChannel.Shape {
        ThumbHashChannel.Shape(x: max(3, wavesX), y: max(3, wavesY))
    }

    var aspectRatio: Double { Double(wavesX) / Double(wavesY) }
}

extension ThumbHashContent {
    /// Parses bytes; `nil` if their number does not match their content, or the proportions are invalid.
    init?(_ bytes: [UInt8]) {
        var reader = BitReader(bytes)
        guard let light = reader.fraction(bitCount: 6),
            let yellowBlue = reader.fraction(bitCount: 6),
            let redGreen = reader.fraction(bitCount: 6),
            let lightScale = reader.fraction(bitCount: 5),
            let hasAlpha = reader.read(bitCount: 1).map({ $0 == 1 }),
            let shorter = reader.read(bitCount: 3),
            let yellowBlueScale = reader.fraction(bitCount: 6),
            let redGreenScale = reader.fraction(bitCount: 6),
            let isWide = reader.read(bitCount: 1).map({ $0 == 1 })
        else { return nil }
        self.isWide = isWide
        let longer = Self.maxWaves(hasAlpha: hasAlpha)
        guard (1...longer).contains(shorter) else { return nil }
        (wavesX, wavesY) = isWide ? (longer, shorter) : (shorter, longer)

        var alphaHead: (average: Double, scale: Double)?
        if hasAlpha {
            guard let average = reader.fraction(bitCount: 4), let scale = reader.fraction(bitCount: 4) else {
                return nil
            }
            alphaHead = (average, scale)
        }
        // Compensates for the loss of saturation by the few bits, like all readers of these hashes.
        let boost = 1.25
        func channel(_ shape: ThumbHashChannel.Shape, _ average: Double, _ scale: Double) -> ThumbHashChannel?
        {
            ThumbHashChannel(shape, average: average, scale: scale, from: &reader)
        }
        guard let light = channel(Self.lightShape(wavesX, wavesY), light, lightScale),
            let yellowBlue = channel(Self.colorShape, yellowBlue * 2 - 1, yellowBlueScale * boost),
            let redGreen = channel(Self.colorShape, redGreen * 2 - 1, redGreenScale * boost)
        else { return nil }
        (self.light, self.yellowBlue, self.redGreen) = (light, yellowBlue, redGreen)
        alpha = alphaHead.flatMap { channel(Self.alphaShape, $0.average, $0.scale) }
        guard hasAlpha == (alpha != nil), reader.byteCount == bytes.count else { return nil }
    }
}

extension ThumbHashContent {
    /// Computes the waves of an image.
    init(_ source: PlaceholderSource) {
        let (width, height) = (source.size.width, source.size.height)
        let hasAlpha = source.pixels.contains { $0.w < 1 }
        let (longer, side) = (Self.maxWaves(hasAlpha: hasAlpha), Double(max(width, height)))
        wavesX = max(1, Int((Double(longer * width) / side).rounded()))
        wavesY = max(1, Int((Double(longer * height) / side).rounded()))
        func channel(
            _ shape: ThumbHashChannel.Shape,
            _ value: (SIMD4<Double>) -> Double
        ) -> ThumbHashChannel {
            ThumbHashChannel(shape, of: source.pixels.map(value), width: width)
        }
        light = channel(Self.lightShape(wavesX, wavesY)) { ($0.x + $0.y + $0.z) / 3 }
        yellowBlue = channel(Self.colorShape) { ($0.x + $0.y) / 2 - $0.z }
        redGreen = channel(Self.colorShape) { $0.x - $0.y }
        alpha = hasAlpha ? channel(Self.alphaShape, \.w) : nil
        isWide = width > height
    }

    var bytes: [UInt8] {
        var writer = BitWriter()
        writer.write(fraction: light.average, bitCount: 6)
        writer.write(fraction: (yellowBlue.average + 1) / 2, bitCount: 6)
        writer.write(fraction: (redGreen.average + 1) / 2, bitCount: 6)
        writer.write(fraction: light.scale, bitCount: 5)
        writer.write(alpha == nil ? 0 : 1, bitCount: 1)
        writer.write(min(wavesX, wavesY), bitCount: 3)
        writer.write(fraction: yellowBlue.scale, bitCount: 6)
        writer.write(fraction: redGreen.scale, bitCount: 6)
        writer.write(isWide ? 1 : 0, bitCount: 1)
        if let alpha {
            writer.write(fraction: alpha.average, bitCount: 4)
            writer.write(fraction: alpha.scale, bitCount: 4)
        }
        for channel in [light, yellowBlue, redGreen] + (alpha.map { [$0] } ?? []) {
            channel.write(to: &writer)
        }
        return writer.bytes
    }
}
