public import CalotypeCore

extension BlurHash {
    /// The longest side of ``image(size:punch:)``: 2,048 pixels.
    public static let sideMax = 2048

    /// The strongest contrast of ``image(size:punch:)``: 10.
    public static let punchMax = 10.0

    /// Draws the waves.
    ///
    /// Blocks. A small picture, such as 32 × 24 pixels, shows all there is; let what shows it make it larger.
    ///
    /// - Parameters:
    ///   - size: The size in pixels, each side 1...2,048; a hash does not know the proportions of its image.
    ///   - punch: What the waves are multiplied by, 0...10; above 1 for more contrast, 1 unless set.
    /// - Returns: An opaque image.
    /// - Throws: ``TransformError`` with `invalidParameter` for another size or punch.
    public func image(size: PixelSize, punch: Double = 1) throws(TransformError) -> Image {
        guard !size.isEmpty, max(size.width, size.height) <= Self.sideMax else {
            throw .invalid("a placeholder of \(size) pixels; each side is 1...\(Self.sideMax)")
        }
        guard (0...Self.punchMax).contains(punch) else {
            throw .invalid("a placeholder of punch \(punch); it is 0...\(Self.punchMax)")
        }
        let waves = amplitudes.enumerated().map { $0 == 0 ? $1 : $1 * punch }
        let columns = CosineTable(componentsX, over: size.width, shift: 0)
        let rows = CosineTable(componentsY, over: size.height, shift: 0)
        let pixels = PixelBuffer(byteCount: size.pixelCount * 3) { bytes in
            var index = 0
            for y in 0..<size.height {
                let line = lineOfWaves(waves, rows, y)
                for x in 0..<size.width {
                    var light = SIMD3<Double>.zero
                    for frequency in 0..<componentsX { light += line[frequency] * columns[frequency, x] }
                    for channel in 0..<3 { bytes[index + channel] = SRGBCurve.level(light[channel]) }
                    index += 3
                }
            }
        }
        return Image(size: size, pixelFormat: .rgb8, pixels: pixels)
    }

    /// What the waves from top to bottom leave of those from left to right at one row.
    private func lineOfWaves(_ waves: [SIMD3<Double>], _ rows: CosineTable, _ y: Int) -> [SIMD3<Double>] {
        (0..<componentsX).map { column in
            (0..<componentsY).reduce(.zero) { $0 + waves[$1 * componentsX + column] * rows[$1, y] }
        }
    }
}
