import CalotypeCodecs
public import CalotypeCore

/// A colour of a palette.
public struct PaletteColor: Hashable, Sendable {
    /// The mean of the colours that it represents.
    public let color: RGBColor

    /// The represented share of the visible image, above 0 and at most 1.
    public let share: Double

    /// Creates a palette colour.
    public init(color: RGBColor, share: Double) {
        self.color = color
        self.share = share
    }
}

extension Image {
    /// Returns the few colours that represent the image best; for an animated image, its first frame.
    ///
    /// Blocks. The image is first reduced to at most 128 × 128 pixels. Pixels are weighted by alpha, in
    /// quarters; alpha below an eighth counts as invisible. An image with at most that many colours returns
    /// exactly these, except for intermediate colours created by the reduction. Equal images return equal
    /// palettes.
    ///
    /// - Parameter maxColorCount: The maximum number of colours, 1...256; 6 by default.
    /// - Returns: The colours in descending order of their shares, which sum to 1; empty if no pixel is
    ///   visible.
    /// - Throws: ``TransformError`` with `invalidParameter` for another number of colours, or for lack of
    ///   memory.
    /// - SeeAlso: Wu, "Efficient statistical computations for optimal color quantization", Graphics Gems II,
    ///   1991.
    public func palette(maxColorCount: Int = 6) throws -> [PaletteColor] {
        guard 1...256 ~= maxColorCount else {
            throw TransformError.invalid("a palette of \(maxColorCount) colours is not possible; use 1...256")
        }
        let counted = ColorQuantizer.palette(counting: try pixelsByAlpha(), maxCount: maxColorCount)
        let total = Double(counted.reduce(0) { $0 + $1.count })
        return counted.map { PaletteColor(color: RGBColor($0.color), share: Double($0.count) / total) }
            .sorted { ($0.share, $0.color.order) > ($1.share, $1.color.order) }
    }

    /// Returns the colour with the largest share of the visible image: the first of
    /// ``palette(maxColorCount:)``.
    ///
    /// Blocks.
    ///
    /// - Returns: The colour; `nil` if no pixel is visible.
    /// - Throws: ``TransformError`` for lack of memory.
    public func dominantColor() throws -> RGBColor? {
        try palette().first?.color
    }

    /// The longest side of the reduced image, in pixels.
    private static let maxPaletteSide = 128

    /// The pixels of a small copy as 0xFFRRGGBB, each repeated once per quarter of its alpha.
    private func pixelsByAlpha() throws(TransformError) -> [UInt32] {
        let bytes = [UInt8](try smallCopy().rgba8())
        return stride(from: 0, to: bytes.count, by: 4).flatMap { start in
            let color = bytes[start..<start + 3].reduce(0xFF) { $0 << 8 | UInt32($1) }
            return repeatElement(color, count: (Int(bytes[start + 3]) + 32) / 64)
        }
    }

    private func smallCopy() throws(TransformError) -> Image {
        let scale = Double(Self.maxPaletteSide) / Double(max(size.width, size.height))
        guard scale < 1 else { return firstFrame }
        let small = PixelSize(
            width: max(1, Int((Double(size.width) * scale).rounded())),
            height: max(1, Int((Double(size.height) * scale).rounded()))
        )
        do {
            // Lanczos would create new colours at edges.
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

    fileprivate var order: Int { Int(red) << 16 | Int(green) << 8 | Int(blue) }
}
