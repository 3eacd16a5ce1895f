package import CalotypeCore

/// An image averaged into 16 × 16 cells: small enough to store, and able to locate wrong pixels.
package struct PixelGrid: Sendable {
    /// The number of cells on a side.
    package static let side = 16

    /// Red, green and blue of each cell, row by row, 0...255, with premultiplied alpha.
    package let values: [Double]

    /// Creates a grid from known cells.
    package init(values: [Double]) {
        self.values = values
    }

    /// Averages an image: each cell is the mean over its exact area, with edge pixels weighted by their
    /// covered part.
    package init(_ image: Image) {
        let rgba = [UInt8](image.rgba8())
        let columns = Self.cells(image.size.width)
        let rows = Self.cells(image.size.height)
        var values: [Double] = []
        for row in rows {
            for column in columns {
                values += Self.mean(rgba, width: image.size.width, rows: row, columns: column)
            }
        }
        self.values = values
    }

    /// Returns the difference of two grids, in levels: the mean over all cells, and the largest.
    package func difference(to other: PixelGrid) -> (mean: Double, worst: Double) {
        let differences = zip(values, other.values).map { abs($0 - $1) }
        return (differences.reduce(0, +) / Double(differences.count), differences.max() ?? 0)
    }

    private typealias Span = [(index: Int, weight: Double)]

    /// Returns, for each cell along one side, its pixels and the covered part of each.
    private static func cells(_ count: Int) -> [Span] {
        (0..<side).map { cell in
            let start = Double(cell * count) / Double(side)
            let end = Double((cell + 1) * count) / Double(side)
            return (Int(start)..<min(count, Int(end.rounded(.up)))).map { index in
                (index, min(end, Double(index + 1)) - max(start, Double(index)))
            }
        }
    }

    private static func mean(_ rgba: [UInt8], width: Int, rows: Span, columns: Span) -> [Double] {
        var sums = (0.0, 0.0, 0.0)
        var area = 0.0
        for row in rows {
            for column in columns {
                let pixel = (row.index * width + column.index) * 4
                let weight = row.weight * column.weight
                let opaque = weight * Double(rgba[pixel + 3]) / 255
                sums.0 += opaque * Double(rgba[pixel])
                sums.1 += opaque * Double(rgba[pixel + 1])
                sums.2 += opaque * Double(rgba[pixel + 2])
                area += weight
            }
        }
        return [sums.0 / area, sums.1 / area, sums.2 / area]
    }
}
