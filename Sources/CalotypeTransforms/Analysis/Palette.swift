import CalotypeCodecs
public import CalotypeCore

/// A colour of a palette.
public struct PaletteColor: Hashable, Sendable {
    /// The colour: the mean of what it stands for.
    public let color: RGBColor

    /// How much of what can be seen it stands for, above 0 and at most 1.
    public let share: Double

    /// Creates a colour of a palette.
    public init(color: RGBColor, share: Double) {
        self.color = color
        self.share = share
    }
}

extension Image {
    /// The few colours that come nearest to those of the image; of an animated image, of its first frame.
    ///
    /// Blocks. The image is brought to at most 128 × 128 pixels first. Pixels count by their alpha, in
    /// quarters; those below an eighth are not seen. An image that has no more colours than asked for gives
    /// them as they are, but for those that arise between two as it is made smaller. Equal images give equal
    /// palettes.
    ///
    /// - Parameter colorCountMax: The most colours, 1...256; 6 unless set.
    /// - Returns: The colours by their shares, the greatest first, which sum to 1; empty where nothing can be
    ///   seen.
    /// - Throws: ``TransformError`` with `invalidParameter` for another number of colours, or where there is
    ///   no memory.
    /// - SeeAlso: Wu, "Efficient statistical computations for optimal color quantization", Graphics Gems II,
    ///   1991.
    public func palette(colorCountMax: Int = 6) throws -> [PaletteColor] {
        guard 1...256 ~= colorCountMax else {
            throw TransformError.invalid("a palette of \(colorCountMax) colours; there are 1 to 256")
        }
        let counted = ColorQuantizer.palette(counting: try pixelsByAlpha(), countMax: colorCountMax)
        let total = Double(counted.reduce(0) { $0 + $1.count })
        return counted.map { PaletteColor(color: RGBColor($0.color), share: Double($0.count) / total) }
            .sorted { ($0.share, $0.color.order) > ($1.share, $1.color.order) }
    }

    /// The colour that stands for most of what can be seen: the first of ``palette(colorCountMax:)``.
    ///
    /// Blocks.
    ///
    /// - Returns: The colour; `nil` where nothing can be seen.
    /// - Throws: ``TransformError`` where there is no memory.
    public func dominantColor() throws -> RGBColor? {
        try palette().first?.color
    }

    /// The longest side of what colours are counted in.
    private static let paletteSideMax = 128

    /// The pixels of a small copy, 0xFFRRGGBB: each as often as there are quarters in its alpha.
    private func pixelsByAlpha() throws(TransformError) -> [UInt32] {
        let bytes = [UInt8](try smallCopy().rgba8())
        return stride(from: 0, to: bytes.count, by: 4).flatMap { start in
            let color = bytes[start..<start + 3].reduce(0xFF) { $0 << 8 | UInt32($1) }
            return repeatElement(color, count: (Int(bytes[start + 3]) + 32) / 64)
        }
    }

    private func smallCopy() throws(TransformError) -> Image {
        let scale = Double(Self.paletteSideMax) / Double(max(size.width, size.height))
        guard scale < 1 else { return firstFrame }
        let small = PixelSize(
            width: max(1, Int((Double(size.width) * scale).rounded())),
            height: max(1, Int((Double(size.height) * scale).rounded()))
        )
        do {
            // Lanczos would make up colours beside edges.
            return try VipsPicture(self).resized(to: small, kernel: "linear").image(like: self)
        } catch {
            throw TransformError(error)
        }
    }
}

extension RGBColor {
    fileprivate init(_ color: UInt32) {
        self.init(
            red: UInt8(color >> 16 & 255),
            green: UInt8(color >> 8 & 255),
            blue: UInt8(color & 255)
        )
    }

    /// So that colours of equal shares have an order.
    fileprivate var order: Int { Int(red) << 16 | Int(green) << 8 | Int(blue) }
}
