import CalotypeCore

/// One channel of a `ThumbHash`: an average, and waves around it.
///
/// Only the waves with few half waves in both directions together are stored.
struct ThumbHashChannel {
    /// The number of horizontal and vertical frequencies.
    struct Shape {
        let x: Int
        let y: Int

        /// The waves without the average, row by row.
        var waves: [(x: Int, y: Int)] {
            (0..<y).flatMap { row in
                (0..<x).filter { ($0 > 0 || row > 0) && $0 * y < x * (y - row) }.map { ($0, row) }
            }
        }
    }

    let shape: Shape
    let average: Double
    /// The amplitude of each wave of the shape.
    let amplitudes: [Double]

    /// Computes the waves of an image's values, given row by row.
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

    /// The largest amplitude; floating-point rounding errors count as 0.
    var scale: Double {
        let greatest = amplitudes.reduce(0) { max($0, abs($1)) }
        return greatest > 1e-12 ? greatest : 0
    }

    /// Writes the amplitudes as fractions of the largest.
    func write(to writer: inout BitWriter) {
        let scale = scale
        for amplitude in amplitudes {
            // Without waves, all implementations write 0.
            writer.write(fraction: scale > 0 ? (amplitude / scale + 1) / 2 : 0, bitCount: 4)
        }
    }

    /// Reads the output of ``write(to:)``; `nil` if the bytes end before.
    init?(_ shape: Shape, average: Double, scale: Double, from reader: inout BitReader) {
        var amplitudes: [Double] = []
        for _ in shape.waves {
            guard let fraction = reader.fraction(bitCount: 4) else { return nil }
            amplitudes.append((fraction * 2 - 1) * scale)
        }
        self.init(shape, average: average, amplitudes: amplitudes)
    }

    /// Returns the values of the pixels of an image of any size, row by row.
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
