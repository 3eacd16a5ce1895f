/// A function of levels: the new level for each level of a channel.
public struct ToneCurve: Hashable, Sendable, Codable {
    /// A point that a curve passes through.
    public struct Point: Hashable, Sendable {
        /// The level before.
        public let level: UInt8
        /// The level after.
        public let result: UInt8

        /// Creates a point.
        public init(level: UInt8, result: UInt8) {
            (self.level, self.result) = (level, result)
        }
    }

    /// The new levels of 0...255.
    let levels: [UInt8]

    /// The curve that changes nothing.
    public static let identity = ToneCurve { $0 }

    /// Creates a curve from a function of levels.
    public init(_ function: (UInt8) -> UInt8) {
        levels = (0...UInt8.max).map(function)
    }

    /// Returns the curve of a function of levels whose values are clamped to 0...255, and their fractions
    /// removed.
    package static func truncating(_ function: (Double) -> Double) -> ToneCurve {
        ToneCurve { UInt8(min(255, max(0, function(Double($0))))) }
    }

    /// Creates a smooth curve through points: a natural cubic spline, rounded and clamped.
    ///
    /// Before the first point and after the last one it is constant; without any point it changes nothing.
    ///
    /// - Parameter points: The points by ascending level, each level once.
    /// - Throws: ``TransformError`` with `invalidParameter` for another order.
    public init(through points: [Point]) throws(TransformError) {
        for (left, right) in zip(points, points.dropFirst()) where left.level >= right.level {
            throw .invalid("the points of a curve must have ascending levels, not \(right.level) next")
        }
        guard let spline = NaturalSpline(points.map { (Double($0.level), Double($0.result)) }) else {
            self = .identity
            return
        }
        self.init { UInt8(min(255, max(0, spline.value(at: Double($0)).rounded()))) }
    }

    /// Returns the curve followed by another.
    public func followed(by next: ToneCurve) -> ToneCurve {
        ToneCurve { next.levels[Int(levels[Int($0)])] }
    }
}

/// A cubic function between each pair of points, with a continuous second derivative that is 0 at the ends.
private struct NaturalSpline {
    private let points: [(x: Double, y: Double)]
    /// The second derivative at each point.
    private let bends: [Double]

    /// Creates a spline through points with ascending x; `nil` without any.
    init?(_ points: [(Double, Double)]) {
        guard !points.isEmpty else { return nil }
        self.points = points
        bends = Self.bends(points)
    }

    func value(at x: Double) -> Double {
        guard let next = points.firstIndex(where: { $0.x > x }) else { return points[points.count - 1].y }
        guard next > 0 else { return points[0].y }
        let (left, right) = (points[next - 1], points[next])
        let width = right.x - left.x
        let (b, a) = ((x - left.x) / width, (right.x - x) / width)
        let bend = (a * a * a - a) * bends[next - 1] + (b * b * b - b) * bends[next]
        return a * left.y + b * right.y + width * width / 6 * bend
    }

    /// Solves the tridiagonal system of the inner points.
    private static func bends(_ points: [(x: Double, y: Double)]) -> [Double] {
        var bends = [Double](repeating: 0, count: points.count)
        guard points.count > 2 else { return bends }
        var upper = bends
        for index in 1..<points.count - 1 {
            let (before, own, after) = (points[index - 1], points[index], points[index + 1])
            let (left, right) = (own.x - before.x, after.x - own.x)
            let change = (after.y - own.y) / right - (own.y - before.y) / left
            let diagonal = 2 * (left + right) - left * upper[index - 1]
            upper[index] = right / diagonal
            bends[index] = (6 * change - left * bends[index - 1]) / diagonal
        }
        for index in (1..<points.count - 1).reversed() { bends[index] -= upper[index] * bends[index + 1] }
        return bends
    }
}
