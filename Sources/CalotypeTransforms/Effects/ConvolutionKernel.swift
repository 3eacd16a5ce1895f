/// The weights of a convolution, from top to bottom and from left to right.
public struct ConvolutionKernel: Hashable, Sendable, Codable {
    /// The maximum length of a row or column: 11.
    public static let maxSide = 11

    /// The maximum absolute value of a weight: one million.
    public static let maxWeight = 1e6

    /// The rows of weights, all of the same length; the middle one is that of the pixel itself.
    public let rows: [[Double]]

    /// Creates a kernel.
    ///
    /// - Parameter rows: An odd number of rows of equal, odd length; at most ``maxSide`` each.
    public init(rows: [[Double]]) {
        self.rows = rows
    }

    /// The kernel divided by the sum of its weights, so that an area of one colour is unchanged; itself if
    /// the sum is 0.
    public var normalized: ConvolutionKernel {
        let sum = sum
        guard sum != 0, sum.isFinite else { return self }
        return ConvolutionKernel(rows: rows.map { $0.map { $0 / sum } })
    }

    var sum: Double { rows.joined().reduce(0, +) }

    func validate() throws(TransformError) {
        let width = rows.first?.count ?? 0
        let sides = [rows.count, width]
        guard sides.allSatisfy({ !$0.isMultiple(of: 2) && $0 <= Self.maxSide }),
            rows.allSatisfy({ $0.count == width })
        else {
            let size = "\(width) × \(rows.count)"
            throw .invalid("a kernel of \(size) is not possible; use odd sides of at most \(Self.maxSide)")
        }
        guard rows.joined().allSatisfy({ abs($0) <= Self.maxWeight }) else {
            throw .invalid("a weight of the kernel is out of range; use numbers within ±\(Self.maxWeight)")
        }
    }
}

extension Identity {
    func with(_ property: String, _ value: ConvolutionKernel) -> Identity {
        let rows = value.rows.map { row in row.map { $0 == 0 ? "0" : "\($0)" }.joined(separator: ";") }
        let text = rows.joined(separator: "/")
        return text.utf8.count <= 256 ? with(property, text) : with(property, digestOf: Array(text.utf8))
    }
}
