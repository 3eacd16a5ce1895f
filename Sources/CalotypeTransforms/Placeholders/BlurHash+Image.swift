public import CalotypeCore

extension BlurHash {
    /// The maximum side of ``image(size:punch:)``: 2,048 pixels.
    public static let maxSide = 2048

    /// The maximum contrast of ``image(size:punch:)``: 10.
    public static let maxPunch = 10.0

    /// Renders the placeholder.
    ///
    /// Blocks. A small image, such as 32 × 24 pixels, shows all details; let the viewer enlarge it.
    ///
    /// - Parameters:
    ///   - size: The size in pixels, each side 1...2,048; the hash does not contain the image's proportions.
    ///   - punch: The factor of the waves, 0...10; above 1 for more contrast, 1 by default.
    /// - Returns: An opaque image.
    /// - Throws: ``TransformError`` with `invalidParameter` for another size or punch.
    public func image(size: PixelSize, punch: Double = 1) throws(TransformError) -> Image {
        guard !size.isEmpty, max(size.width, size.height) <= Self.maxSide else {
            throw .invalid("placeholder size \(size): use sides of 1...\(Self.maxSide)")
        }
        guard (0...Self.maxPunch).contains(punch) else {
            throw .invalid("placeholder punch \(punch) is out of range; use 0...\(Self.maxPunch)")
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

    /// The sum of the vertical waves at one row, for each horizontal wave.
    private func lineOfWaves(_ waves: [SIMD3<Double>], _ rows: CosineTable, _ y: Int) -> [SIMD3<Double>] {
        (0..<componentsX).map { column in
            (0..<componentsY).reduce(.zero) { $0 + waves[$1 * componentsX + column] * rows[$1, y] }
        }
    }
}
