/// Pixels as indices into a palette.
struct IndexedPixels {
    /// 1...256 colours, 0xFFRRGGBB; a transparent one is last, and is 0.
    var palette: [UInt32]
    var indexes: [UInt8]
    var transparentIndex: Int?
}

extension IndexedPixels {
    /// Creates exact pixels; `nil` if their colours and transparency exceed `maxColorCount`.
    ///
    /// - Parameters:
    ///   - pixels: 0xFFRRGGBB, or 0 for transparent.
    ///   - maxColorCount: At least 2.
    ///   - isTransparent: True to add a transparent colour even if no pixel has it.
    init?(exactly pixels: [UInt32], maxColorCount: Int, isTransparent: Bool = false) {
        let isTransparent = isTransparent || pixels.contains(0)
        guard let table = ColorTable(pixels, maxCount: maxColorCount - (isTransparent ? 1 : 0)) else {
            return nil
        }
        self.init(pixels, table, isTransparent: isTransparent)
    }

    /// Creates exact pixels, in the colours of a table that contains all of them.
    init(_ pixels: [UInt32], _ table: ColorTable, isTransparent: Bool) {
        self.init(table.colors, isTransparent: isTransparent)
        let free = UInt8(table.colors.count & 255)
        var (last, index) = (UInt32(0), free)
        indexes = pixels.map { pixel in
            if pixel != last {
                // Pixels that are not in the table are transparent.
                (last, index) = (pixel, table.position(of: pixel).map { UInt8($0) } ?? free)
            }
            return index
        }
    }

    /// Creates pixels in at most `maxColorCount` colours, including transparency.
    ///
    /// - Parameters:
    ///   - pixels: 0xFFRRGGBB, or 0 for transparent.
    ///   - width: Pixels in a row.
    ///   - maxColorCount: At least 2.
    ///   - dithers: True to diffuse the error of a pixel to its neighbours.
    ///   - isTransparent: True to add a transparent colour even if no pixel has it.
    init(
        nearly pixels: [UInt32],
        width: Int,
        maxColorCount: Int,
        dithers: Bool,
        isTransparent: Bool = false
    ) {
        let isTransparent = isTransparent || pixels.contains(0)
        let maxCount = maxColorCount - (isTransparent ? 1 : 0)
        self.init(ColorQuantizer.palette(for: pixels, maxCount: maxCount), isTransparent: isTransparent)
        var nearest = NearestColor(isTransparent ? palette.dropLast() : palette)
        if dithers {
            indexes = dithered(pixels, width: width, &nearest)
        } else {
            let free = UInt8((palette.count - 1) & 255)
            indexes = pixels.map { $0 == 0 ? free : UInt8(nearest.position(of: $0)) }
        }
    }

    private init(_ colors: [UInt32], isTransparent: Bool) {
        palette = isTransparent ? colors + [0] : colors
        indexes = []
        transparentIndex = isTransparent ? colors.count : nil
    }

    private func dithered(_ pixels: [UInt32], width: Int, _ nearest: inout NearestColor) -> [UInt8] {
        let colors = palette.map { SIMD4<Int32>($0, w: 0) }
        let free = UInt8((palette.count - 1) & 255)
        var indexes = [UInt8](repeating: free, count: pixels.count)
        ErrorDiffusion.run(pixelCount: pixels.count, width: width) { index, errors in
            guard pixels[index] != 0 else { return nil }
            let wanted = ErrorDiffusion.added(errors, to: SIMD4(pixels[index], w: 0))
                .clamped(lowerBound: .zero, upperBound: SIMD4(255, 255, 255, 0))
            let position = nearest.position(of: wanted.packed)
            indexes[index] = UInt8(position)
            return wanted &- colors[position]
        }
        return indexes
    }
}

extension SIMD4<Int32> {
    /// 0xFFRRGGBB.
    fileprivate var packed: UInt32 {
        0xFF00_0000 | UInt32(truncatingIfNeeded: x << 16 | y << 8 | z)
    }
}
