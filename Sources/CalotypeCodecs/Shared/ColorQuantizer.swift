/// Selects the few colours that represent the many of an image best.
///
/// All colours start in one box; if there are too many, they are first counted in cells of 4 × 4 × 4 levels.
/// The box whose division reduces the sum of squared errors most is divided at the optimal axis and level,
/// until there are as many boxes as requested colours. Each box results in its mean. Then each mean moves to
/// the centre of its nearest colours, a few times.
///
/// Colours with alpha have four axes and are multiplied by their alpha, so that distances are those seen.
///
/// - SeeAlso: Wu, "Efficient statistical computations for optimal color quantization", Graphics Gems II,
///   1991; Lloyd, "Least squares quantization in PCM", IEEE Transactions on Information Theory 28, 1982.
package struct ColorQuantizer {
    /// A colour and the number of its pixels.
    private struct Point {
        /// Red, green, blue and alpha.
        var color: SIMD4<Float>
        var weight: Float
    }

    /// A part of the points, and its best division.
    private struct Box {
        let range: Range<Int>
        /// The reduction of the sum of squared errors by the division; 0 without one.
        var gain = 0.0
        var axis = 0
        /// The first level of the upper part.
        var level = 0
    }

    /// The number of times that the means move.
    private static let roundCount = 3

    /// The number of distinct colours above which they are counted in cells.
    private static let maxExactColorCount = 32768

    /// 3, or 4 for colours with alpha.
    private let axisCount: Int
    private var points: [Point]
    private var boxes: [Box] = []

    /// Returns at most `maxCount` colours (at least 1) for the opaque pixels; pixels of 0 are transparent,
    /// and without opaque pixels the result is black.
    static func palette(for pixels: [UInt32], maxCount: Int) -> [UInt32] {
        palette(for: pixels, maxCount: maxCount, hasAlpha: false)
    }

    /// Returns at most `maxCount` colours (at least 1) for translucent pixels, 0xAARRGGBB multiplied by their
    /// alpha; pixels of 0 are not counted, and without other pixels the result is black.
    static func translucentPalette(for pixels: [UInt32], maxCount: Int) -> [UInt32] {
        palette(for: pixels, maxCount: maxCount, hasAlpha: true)
    }

    private static func palette(for pixels: [UInt32], maxCount: Int, hasAlpha: Bool) -> [UInt32] {
        var quantizer = ColorQuantizer(pixels, hasAlpha: hasAlpha)
        guard !quantizer.points.isEmpty else { return [0xFF00_0000] }
        quantizer.divide(into: maxCount)
        return quantizer.refined(quantizer.boxes.map { quantizer.mean($0.range) })
    }

    /// Returns at most `maxCount` colours with the number of pixels nearest to each; unused colours are
    /// omitted.
    ///
    /// - Parameters:
    ///   - pixels: 0xFFRRGGBB, or 0 for transparent, which is not counted.
    ///   - maxCount: 1...256.
    /// - Returns: Distinct colours in unspecified order; empty without pixels.
    package static func palette(
        counting pixels: [UInt32],
        maxCount: Int
    ) -> [(color: UInt32, count: Int)] {
        let palette = palette(for: pixels, maxCount: maxCount)
        var nearest = NearestColor(palette)
        var counts = [Int](repeating: 0, count: palette.count)
        for pixel in pixels where pixel != 0 { counts[nearest.position(of: pixel)] += 1 }
        return zip(palette, counts).filter { $0.1 > 0 }.map { (color: $0, count: $1) }
    }

    private init(_ pixels: [UInt32], hasAlpha: Bool) {
        axisCount = hasAlpha ? 4 : 3
        guard let table = ColorTable(pixels, maxCount: Self.maxExactColorCount) else {
            points = Self.cells(pixels, hasAlpha: hasAlpha)
            return
        }
        points = zip(table.colors, table.counts).map { color, count in
            Point(color: SIMD4<Float>(SIMD4<Int32>(argb: color)), weight: Float(count))
        }
    }

    /// Returns the mean colour of each non-empty cell: of 6 bits a channel, or of 5 bits and 4 of alpha.
    private static func cells(_ pixels: [UInt32], hasAlpha: Bool) -> [Point] {
        var sums = [SIMD4<Int>](repeating: .zero, count: 1 << (hasAlpha ? 19 : 18))
        var counts = [Int](repeating: 0, count: sums.count)
        for pixel in pixels where pixel != 0 {
            let color = SIMD4<Int>(truncatingIfNeeded: SIMD4<Int32>(argb: pixel))
            let cell =
                hasAlpha
                ? (color.w >> 4) << 15 | (color.x >> 3) << 10 | (color.y >> 3) << 5 | color.z >> 3
                : (color.x >> 2) << 12 | (color.y >> 2) << 6 | color.z >> 2
            sums[cell] &+= color
            counts[cell] += 1
        }
        return zip(sums, counts).filter { $1 > 0 }.map { sum, count in
            Point(color: SIMD4<Float>(sum) / Float(count), weight: Float(count))
        }
    }

    // MARK: - Boxes

    private mutating func divide(into maxCount: Int) {
        boxes = [measured(points.indices)]
        while boxes.count < maxCount {
            guard let index = boxes.indices.max(by: { boxes[$0].gain < boxes[$1].gain }),
                boxes[index].gain > 0
            else { return }
            let box = boxes[index]
            let middle = partition(box)
            boxes[index] = measured(box.range.lowerBound..<middle)
            boxes.append(measured(middle..<box.range.upperBound))
        }
    }

    /// Moves the points below the level in front of the others.
    private mutating func partition(_ box: Box) -> Int {
        var middle = box.range.lowerBound
        for index in box.range where Int(points[index].color[box.axis]) < box.level {
            points.swapAt(index, middle)
            middle += 1
        }
        return middle
    }

    private func measured(_ range: Range<Int>) -> Box {
        var box = Box(range: range)
        guard range.count > 1 else { return box }
        for axis in 0..<axisCount {
            var levels = [SIMD2<Double>](repeating: .zero, count: 256)
            for point in points[range] {
                let (weight, level) = (Double(point.weight), point.color[axis])
                levels[Int(level)] += SIMD2(weight, weight * Double(level))
            }
            let best = Self.bestDivision(levels)
            if best.gain > box.gain { (box.gain, box.axis, box.level) = (best.gain, axis, best.level) }
        }
        return box
    }

    /// Returns the best division of an axis, given the weight and the sum of each level.
    private static func bestDivision(_ levels: [SIMD2<Double>]) -> (gain: Double, level: Int) {
        let whole = levels.reduce(.zero, +)
        var below = SIMD2<Double>.zero
        var best = (gain: 0.0, level: 0)
        for level in 1..<levels.count {
            below += levels[level - 1]
            let above = whole - below
            guard below.x > 0, above.x > 0 else { continue }
            let distance = below.y / below.x - above.y / above.x
            let gain = below.x * above.x / whole.x * distance * distance
            if gain > best.gain { best = (gain, level) }
        }
        return best
    }

    // MARK: - Means

    private func mean(_ range: Range<Int>) -> UInt32 {
        var sum = Sum()
        for point in points[range] { sum.add(point) }
        return sum.color(axisCount: axisCount)
    }

    private func refined(_ palette: [UInt32]) -> [UInt32] {
        var palette = palette
        for _ in 0..<Self.roundCount {
            var nearest = NearestColor(palette)
            var sums = [Sum](repeating: Sum(), count: palette.count)
            for point in points {
                var own = Sum()
                own.add(Point(color: point.color, weight: 1))
                sums[nearest.position(of: own.color(axisCount: axisCount))].add(point)
            }
            let moved = zip(palette, sums).map { color, sum in
                sum.weight > 0 ? sum.color(axisCount: axisCount) : color
            }
            guard moved != palette else { break }
            palette = moved
        }
        return palette
    }

    /// The weighted sum of points.
    private struct Sum {
        private var channels = SIMD4<Double>.zero
        private(set) var weight = 0.0

        mutating func add(_ point: Point) {
            channels += SIMD4<Double>(point.color) * Double(point.weight)
            weight += Double(point.weight)
        }

        /// Returns the mean, rounded; opaque with three axes.
        func color(axisCount: Int) -> UInt32 {
            let mean = (channels / weight).rounded(.toNearestOrAwayFromZero)
            let levels = SIMD4<UInt32>(mean.clamped(lowerBound: .zero, upperBound: .init(repeating: 255)))
            let alpha = axisCount == 4 ? levels.w : 255
            return alpha << 24 | levels.x << 16 | levels.y << 8 | levels.z
        }
    }
}
