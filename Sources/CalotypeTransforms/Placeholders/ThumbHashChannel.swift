import CalotypeCore

/// One channel of a `ThumbHash`: an average, and waves around it.
///
/// Of all waves up to some number in each direction only those are kept that have few in both together.
struct ThumbHashChannel {
    /// How many frequencies there are from left to right, and from top to bottom.
    struct Shape {
        let x: Int
        let y: Int

        /// The waves but for the average, row by row.
        var waves: [(x: Int, y: Int)] {
            (0..<y).flatMap { row in
                (0..<x).filter { ($0 > 0 || row > 0) && $0 * y < x * (y - row) }.map { ($0, row) }
            }
        }
    }

    let shape: Shape
    let average: Double
    /// One for each wave of the shape.
    let amplitudes: [Double]

    /// Finds the waves in the values of a picture, given row by row.
    init(_ shape: Shape, of values: [Double], width: Int) {
        let height = values.count / width
        let columns = CosineTable(shape.x, over: width, shift: 0.5)
        let rows = CosineTable(shape.y, over: height, shift: 0.5)
        func amplitude(_ waveX: Int, _ waveY: Int) -> Double {
            let sum = (0..<height).reduce(0.0) { sum, y in
                let line = (0..<width).reduce(0.0) { $0 + values[y * width + $1] * columns[waveX, $1] }
                return sum + line * rows[waveY, y]
            }
            return sum / Double(values.count)
        }
        self.init(shape, average: amplitude(0, 0), amplitudes: shape.waves.map { amplitude($0.x, $0.y) })
    }

    init(_ shape: Shape, average: Double, amplitudes: [Double]) {
        self.shape = shape
        self.average = average
        self.amplitudes = amplitudes
    }

    /// The greatest amplitude; what is but the rounding of floating point counts as nothing.
    var scale: Double {
        let greatest = amplitudes.reduce(0) { max($0, abs($1)) }
        return greatest > 1e-12 ? greatest : 0
    }

    /// Writes the amplitudes as parts of the greatest.
    func write(to writer: inout BitWriter) {
        let scale = scale
        for amplitude in amplitudes {
            // Where there are no waves, 0 is what is written by all.
            writer.write(fraction: scale > 0 ? (amplitude / scale + 1) / 2 : 0, bitCount: 4)
        }
    }

    /// Reads what ``write(to:)`` writes; `nil` where the bytes end before.
    init?(_ shape: Shape, average: Double, scale: Double, from reader: inout BitReader) {
        var amplitudes: [Double] = []
        for _ in shape.waves {
            guard let fraction = reader.fraction(bitCount: 4) else { return nil }
            amplitudes.append((fraction * 2 - 1) * scale)
        }
        self.init(shape, average: average, amplitudes: amplitudes)
    }

    /// The values at the pixels of a picture of any size, row by row.
    func values(_ size: PixelSize) -> [Double] {
        let columns = CosineTable(shape.x, over: size.width, shift: 0.5)
        let rows = CosineTable(shape.y, over: size.height, shift: 0.5)
        let waves = Array(zip(shape.waves, amplitudes))
        return (0..<size.height).flatMap { y in
            (0..<size.width).map { x in
                waves.reduce(average) { sum, wave in
                    sum + 2 * wave.1 * columns[wave.0.x, x] * rows[wave.0.y, y]
                }
            }
        }
    }
}
