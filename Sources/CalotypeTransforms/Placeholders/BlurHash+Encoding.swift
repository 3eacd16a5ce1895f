public import CalotypeCore

extension BlurHash {
    /// Computes the hash of an image, or of an animation's first frame.
    ///
    /// Blocks. The image is first reduced to at most 100 pixels a side. Since the hash has no alpha,
    /// transparent parts take the average colour of the rest, weighted by alpha; a fully transparent image is
    /// black.
    ///
    /// - Parameters:
    ///   - image: The image.
    ///   - componentsX: The number of horizontal components, including the average: 1...9.
    ///   - componentsY: The number of vertical components, including the average: 1...9.
    /// - Throws: ``TransformError``: `invalidParameter` for other numbers of components.
    public init(
        encoding image: Image,
        componentsX: Int = 4,
        componentsY: Int = 3
    ) throws(TransformError) {
        guard (1...9).contains(componentsX), (1...9).contains(componentsY) else {
            throw .invalid("\(componentsX)×\(componentsY) components of a BlurHash; use 1...9 each")
        }
        let source = try PlaceholderSource(image, decoding: SRGBCurve.light)
        let waves = Self.waves(of: source, componentsX, componentsY)
        let text = Self.text(waves, shape: (componentsY - 1) * 9 + componentsX - 1)
        guard let hash = BlurHash(text) else { preconditionFailure("“\(text)” cannot be read back") }
        self = hash
    }

    /// The amplitudes of the waves, row by row.
    private static func waves(of source: PlaceholderSource, _ countX: Int, _ countY: Int) -> [SIMD3<Double>] {
        let (width, height) = (source.size.width, source.size.height)
        let columns = CosineTable(countX, over: width, shift: 0)
        let rows = CosineTable(countY, over: height, shift: 0)
        var waves: [SIMD3<Double>] = []
        for frequencyY in 0..<countY {
            for frequencyX in 0..<countX {
                var sum = SIMD4<Double>.zero
                for y in 0..<height {
                    for x in 0..<width {
                        let weight = columns[frequencyX, x] * rows[frequencyY, y]
                        sum += source.pixels[y * width + x] * weight
                    }
                }
                let factor = waves.isEmpty ? 1.0 : 2.0
                waves.append(SIMD3(sum.x, sum.y, sum.z) * factor / Double(width * height))
            }
        }
        return waves
    }

    private static func text(_ waves: [SIMD3<Double>], shape: Int) -> String {
        let average = waves[0]
        let others = waves.dropFirst()
        let greatest = others.reduce(0) { max($0, abs($1.x), abs($1.y), abs($1.z)) }
        let scale = Int(min(82, max(0, greatest / scaleStep - 0.5)))
        let color = [average.x, average.y, average.z].reduce(0) { $0 << 8 | Int(SRGBCurve.level($1)) }
        let head = [
            Base83.text(shape, digitCount: 1), Base83.text(scale, digitCount: 1),
            Base83.text(color, digitCount: 4),
        ]
        let tail = others.map { wave in
            let parts = wave / (Double(scale + 1) * scaleStep)
            let number = [parts.x, parts.y, parts.z].reduce(0) { $0 * 19 + digit($1) }
            return Base83.text(number, digitCount: 2)
        }
        return (head + tail).joined()
    }

    /// Returns the digit of base 19 nearest to the square root of a fraction of the largest amplitude,
    /// -1...1.
    private static func digit(_ part: Double) -> Int {
        let root = abs(part).squareRoot()
        return Int(min(18, max(0, (part < 0 ? -root : root) * 9 + 9.5)))
    }
}
