import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import Foundation
import TestSupport
import Testing

@Suite(.blocking) struct ResamplerTests {
    @Test(
        arguments: [(1, 1), (2, 77), (64, 48), (63, 47), (31, 1), (100, 48), (200, 150)],
        PixelFormat.eightBitFormats
    )
    func `the result has exactly the requested size`(side: (Int, Int), format: PixelFormat) throws {
        let image = TestImages.photograph(PixelSize(width: 64, height: 48), format: format)
        let size = PixelSize(width: side.0, height: side.1)
        let resized = try Resampler.resize(image, to: size)
        #expect(resized.size == size)
        #expect(resized.pixelFormat == format)
    }

    @Test func `transparent pixels add no colour to an edge`() throws {
        let disc = TestImages.disc(
            PixelSize(width: 301, height: 299),
            color: RGBColor(red: 230, green: 20, blue: 10)
        )
        let small = try Resampler.resize(disc, to: PixelSize(width: 37, height: 36))
        let bytes = small.bytes
        var edgeCount = 0
        for pixel in stride(from: 0, to: bytes.count, by: 4) where bytes[pixel + 3] > 12 {
            if bytes[pixel + 3] < 240 { edgeCount += 1 }
            #expect(abs(Int(bytes[pixel]) - 230) <= 1)
            #expect(abs(Int(bytes[pixel + 1]) - 20) <= 1)
            #expect(abs(Int(bytes[pixel + 2]) - 10) <= 1)
        }
        #expect(edgeCount > 20)
    }

    @Test(arguments: PixelFormat.eightBitFormats)
    func `a flat colour stays that colour`(format: PixelFormat) throws {
        let bytes: [UInt8] = Array([200, 100, 50, 128].prefix(format.bytesPerPixel))
        let size = PixelSize(width: 90, height: 70)
        let all = Array(repeatElement(bytes, count: size.pixelCount).joined())
        let pixels = PixelBuffer(byteCount: all.count) { $0.copyBytes(from: all) }
        let image = Image(size: size, pixelFormat: format, pixels: pixels)
        let small = try Resampler.resize(image, to: PixelSize(width: 13, height: 11))
        for (index, byte) in small.bytes.enumerated() {
            #expect(abs(Int(byte) - Int(bytes[index % bytes.count])) <= 1)
        }
    }

    @Test func `halving a checked pattern gives its mean and preserves sharp edges`() throws {
        // Left half black, right half white: the step must not spread beyond the filter's three lobes.
        let size = PixelSize(width: 80, height: 8)
        let row = (0..<80).map { UInt8($0 < 40 ? 0 : 255) }
        let all = Array(repeatElement(row, count: 8).joined())
        let pixels = PixelBuffer(byteCount: all.count) { $0.copyBytes(from: all) }
        let image = Image(size: size, pixelFormat: .gray8, pixels: pixels)
        let small = try Resampler.resize(image, to: PixelSize(width: 40, height: 4), light: .encoded).bytes
        #expect(small[0..<15].allSatisfy { $0 <= 2 })
        #expect(small[25..<40].allSatisfy { $0 >= 253 })
        #expect(small[19] < 60 && small[20] > 195)
    }

    @Test(
        arguments: [(9, 11), (40, 11), (9, 30), (39, 30), (1, 1), (40, 1)],
        PixelFormat.eightBitFormats.flatMap { [($0, ResamplingLight.linear), ($0, .encoded)] }
    )
    func `each pixel is the weighted mean of Lanczos 3`(
        side: (Int, Int),
        form: (PixelFormat, ResamplingLight)
    ) throws {
        let (format, light) = form
        let image = TestImages.photograph(PixelSize(width: 40, height: 30), format: format)
        let size = PixelSize(width: side.0, height: side.1)
        let small = try Resampler.resize(image, to: size, light: light).bytes
        let expected = LanczosReference(image, isLinear: light == .linear).reduced(to: size)
        for (index, level) in small.enumerated() {
            // Nearly transparent pixels hardly have a colour: it is weighted by alpha.
            let isColor = format == .rgba8 && index % 4 < 3
            let visible = isColor ? Double(small[index / 4 * 4 + 3]) / 255 : 1
            #expect(abs(Double(level) - expected[index]) * visible <= (isColor ? 1.5 : 1))
        }
    }

    @Test func `a very large reduction gives the mean`() throws {
        let size = PixelSize(width: 30_000, height: 7)
        let pixels = PixelBuffer(byteCount: size.pixelCount) { bytes in
            for index in bytes.indices { bytes[index] = index % 2 == 0 ? 40 : 80 }
        }
        let image = Image(size: size, pixelFormat: .gray8, pixels: pixels)
        // The mean light of levels 40 and 80 is that of level 63.65.
        for (light, mean) in [(ResamplingLight.encoded, 60), (.linear, 64)] {
            let one = try Resampler.resize(image, to: PixelSize(width: 1, height: 1), light: light)
            #expect(one.bytes == [UInt8(mean)])
            let wide = try Resampler.resize(image, to: PixelSize(width: 3, height: 7), light: light).bytes
            #expect(wide.allSatisfy { abs(Int($0) - mean) <= 2 })
        }
    }

    @Test(arguments: PixelFormat.eightBitFormats)
    func `each level survives a reduction in linear light`(format: PixelFormat) throws {
        for level in UInt8.min...UInt8.max {
            let bytes = [UInt8](repeating: level, count: 60 * format.bytesPerPixel)
            let opaque = bytes.enumerated().map { format == .rgba8 && $0.offset % 4 == 3 ? 255 : $0.element }
            let pixels = PixelBuffer(byteCount: opaque.count) { $0.copyBytes(from: opaque) }
            let image = Image(size: PixelSize(width: 10, height: 6), pixelFormat: format, pixels: pixels)
            let small = try Resampler.resize(image, to: PixelSize(width: 3, height: 2), light: .linear)
            #expect(small.bytes == Array(opaque.prefix(6 * format.bytesPerPixel)), "\(level)")
        }
    }

    @Test func `translucent colours are weighted by alpha in linear light`() throws {
        // White at alpha 51 beside black at 255: the light is 51 / (51 + 255) = 1 / 6 of white, level 113.5.
        let bytes: [UInt8] = (0..<64 * 64).flatMap { index -> [UInt8] in
            (index % 64 + index / 64) % 2 == 0 ? [255, 255, 255, 51] : [0, 0, 0, 255]
        }
        let pixels = PixelBuffer(byteCount: bytes.count) { $0.copyBytes(from: bytes) }
        let image = Image(size: PixelSize(width: 64, height: 64), pixelFormat: .rgba8, pixels: pixels)
        let small = try Resampler.resize(image, to: PixelSize(width: 8, height: 8), light: .linear).bytes
        let pixel = small[27 * 4..<28 * 4].map(Int.init)
        #expect(pixel[..<3].allSatisfy { abs($0 - 113) <= 1 } && abs(pixel[3] - 153) <= 1, "\(pixel)")
    }

    @Test func `levels of 16 bits are reduced in linear light like those of 8`() throws {
        let words: [UInt16] = (0..<64 * 64).flatMap { index -> [UInt16] in
            let level: UInt16 = (index % 64 + index / 64) % 2 == 0 ? 0xFFFF : 0
            return [level, level, level, 0xFFFF]
        }
        let pixels = PixelBuffer(byteCount: words.count * 2) { target in
            words.withUnsafeBytes { target.copyMemory(from: $0) }
        }
        let image = Image(size: PixelSize(width: 64, height: 64), pixelFormat: .rgba16, pixels: pixels)
        for (light, expected) in [(ResamplingLight.automatic, 188), (.linear, 188), (.encoded, 128)] {
            let small = try Resampler.resize(image, to: PixelSize(width: 8, height: 8), light: light)
            let pixel = [UInt8](small.rgba8())[27 * 4..<28 * 4].map(Int.init)
            #expect(pixel[..<3].allSatisfy { abs($0 - expected) <= 1 } && pixel[3] == 255, "\(pixel)")
        }
    }

    @Test func `transparent pixels become transparent black`() throws {
        let bytes = Array(repeatElement([200, 100, 50, 0] as [UInt8], count: 64).joined())
        let pixels = PixelBuffer(byteCount: bytes.count) { $0.copyBytes(from: bytes) }
        let image = Image(size: PixelSize(width: 8, height: 8), pixelFormat: .rgba8, pixels: pixels)
        let small = try Resampler.resize(image, to: PixelSize(width: 3, height: 2))
        #expect(small.bytes.allSatisfy { $0 == 0 })
    }

    @Test func `scale, format and metadata are retained`() throws {
        let metadata = ImageMetadata(orientation: .left, isOrientationApplied: false, hasColorProfile: true)
        let source = TestImages.photograph(PixelSize(width: 20, height: 20))
        let image = Image(
            size: source.size,
            pixelFormat: source.pixelFormat,
            pixels: source.pixels,
            scale: 3,
            format: .webP,
            metadata: metadata
        )
        let resized = try Resampler.resize(image, to: PixelSize(width: 10, height: 10))
        #expect(resized.scale == 3 && resized.format == .webP && resized.metadata == metadata)
    }
}

/// Lanczos 3 by its formula, pixel by pixel.
private struct LanczosReference {
    private let size: PixelSize
    private let step: Int
    private let isLinear: Bool
    /// Colours premultiplied by alpha, if any.
    private let samples: [Double]

    init(_ image: Image, isLinear: Bool) {
        (size, step) = (image.size, image.pixelFormat.bytesPerPixel)
        self.isLinear = isLinear
        let bytes = image.bytes
        samples = bytes.indices.map { index in
            let isAlpha = image.pixelFormat == .rgba8 && index % 4 == 3
            let level = Double(bytes[index])
            let value = isLinear && !isAlpha ? Self.light(level) : level
            guard image.pixelFormat == .rgba8, !isAlpha else { return value }
            return value * Double(bytes[index / 4 * 4 + 3]) / 255
        }
    }

    /// Both are 0...255.
    private static func light(_ level: Double) -> Double {
        let value = level / 255
        return 255 * (value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4))
    }

    private static func level(_ light: Double) -> Double {
        let value = light / 255
        return 255 * (value <= 0.0031308 ? value * 12.92 : 1.055 * pow(value, 1 / 2.4) - 0.055)
    }

    func reduced(to result: PixelSize) -> [Double] {
        let across = (0..<result.width).map { Self.weights($0, result.width, of: size.width) }
        let down = (0..<result.height).map { Self.weights($0, result.height, of: size.height) }
        var levels: [Double] = []
        for row in down {
            for column in across {
                var sums = Array(repeating: 0.0, count: step)
                for (y, rowWeight) in row {
                    for (x, weight) in column {
                        for channel in 0..<step {
                            sums[channel] +=
                                rowWeight * weight * samples[(y * size.width + x) * step + channel]
                        }
                    }
                }
                if step == 4 { for channel in 0..<3 { sums[channel] *= 255 / max(sums[3], 1e-9) } }
                levels += sums.enumerated().map { channel, sum in
                    let value = min(max(sum, 0), 255)
                    return isLinear && channel < 3 ? Self.level(value) : value
                }
            }
        }
        return levels
    }

    private static func weights(_ index: Int, _ count: Int, of sourceCount: Int) -> [(Int, Double)] {
        let scale = Double(sourceCount) / Double(count)
        let center = (Double(index) + 0.5) * scale
        let reach = Int((3 * scale).rounded(.up)) + 1
        let all = (Int(center) - reach...Int(center) + reach).map { place in
            let distance = (Double(place) + 0.5 - center) / scale
            return (min(max(place, 0), sourceCount - 1), kernel(distance))
        }
        let sum = all.reduce(0) { $0 + $1.1 }
        return all.map { ($0.0, $0.1 / sum) }
    }

    private static func kernel(_ distance: Double) -> Double {
        guard distance != 0 else { return 1 }
        guard abs(distance) < 3 else { return 0 }
        let angle = Double.pi * distance
        return 3 * sin(angle) * sin(angle / 3) / (angle * angle)
    }
}
