import CalotypeCodecs
import CalotypeCore

extension VipsPicture {
    /// Returns the picture blurred with a Gaussian, in floating point; its edges are extended outwards.
    ///
    /// A wide Gaussian costs no more than a narrow one: it is applied to the means of square cells, between
    /// which the result is interpolated linearly.
    ///
    /// - Parameter sigma: The standard deviation in pixels; above 0.
    /// - Returns: The picture, neither rounded nor clamped.
    /// - Throws: The error of libvips.
    func underGaussian(sigma: Double) throws(CodecFailure) -> VipsPicture {
        let picture = try applying(.cast, [.text("format", "float")])
        let cells = GaussianCells(size: size, sigma: sigma)
        guard cells.side > 1 else { return try picture.convolved(sigma: sigma) }
        // Successive strips of the result need the same rows of cells, before the Gaussian and after it.
        return try picture.means(of: cells)
            .keepingRows(of: cells, tileHeight: max(1, 128 / cells.side), maxCount: 256)
            .convolved(sigma: cells.sigma)
            .keepingRows(of: cells, tileHeight: 128, maxCount: 512)
            .expanded(from: cells, to: size)
    }

    /// Caches the rows that were requested last.
    ///
    /// - Parameters:
    ///   - cells: The cells of the picture.
    ///   - tileHeight: The number of rows computed at once; their inputs are in memory meanwhile.
    ///   - maxCount: The number of cached tiles; more, if more are needed at once.
    /// - Returns: The same picture.
    /// - Throws: The error of libvips.
    private func keepingRows(
        of cells: GaussianCells,
        tileHeight: Int,
        maxCount: Int
    ) throws(CodecFailure) -> VipsPicture {
        try applying(
            .tilecache,
            [
                .integer("tile-width", cells.columnCount), .integer("tile-height", tileHeight),
                .integer("max-tiles", maxCount / tileHeight),
            ]
        )
    }

    private func convolved(sigma: Double) throws(CodecFailure) -> VipsPicture {
        try applying(
            .gaussblur,
            [.number("sigma", sigma), .number("min-ampl", 0.01), .text("precision", "float")]
        )
    }

    /// Returns the means of cells, weighted by a triangle as wide on each side as a cell.
    private func means(of cells: GaussianCells) throws(CodecFailure) -> VipsPicture {
        let side = Double(cells.side)
        return try applying(
            .embed,
            [
                .integer("x", cells.margin), .integer("y", cells.margin),
                .integer("width", cells.columnCount * cells.side),
                .integer("height", cells.rowCount * cells.side),
                .text("extend", "copy"),
            ]
        )
        .applying(.reduce, [.number("hshrink", side), .number("vshrink", side), .text("kernel", "linear")])
    }

    private func expanded(from cells: GaussianCells, to size: PixelSize) throws(CodecFailure) -> VipsPicture {
        let side = Double(cells.side)
        // The offset of a cell's middle from its first pixel.
        let middle = (side - 1) / 2
        return try applying(
            .affine,
            [
                .numbers("matrix", [side, 0, 0, side]), .number("odx", middle), .number("ody", middle),
                .integers("oarea", [cells.margin, cells.margin, size.width, size.height]),
                .text("extend", "copy"), .flag("premultiplied", true),
            ]
        )
    }
}

/// Square cells over a picture and its surroundings, as far as the Gaussian reaches.
private struct GaussianCells {
    /// The minimum sigma in cells: such a wide Gaussian hides the boundaries between cells.
    private static let minSigma = 3.0

    /// The extension of the picture in sigmas: beyond it the weight is less than half a level.
    private static let reach = 3.5

    /// The side of a cell in pixels.
    let side: Int
    /// The pixels around the picture, a multiple of ``side``.
    let margin: Int
    let columnCount: Int
    let rowCount: Int
    /// The standard deviation in cells.
    let sigma: Double

    init(size: PixelSize, sigma: Double) {
        let side = max(1, Int(sigma / Self.minSigma))
        let marginCount = Int(Self.reach * sigma) / side + 2
        self.side = side
        margin = marginCount * side
        columnCount = (size.width - 1) / side + 1 + 2 * marginCount
        rowCount = (size.height - 1) / side + 1 + 2 * marginCount
        // Variances add up: subtract those of the triangle that weights pixels and of the triangle that
        // interpolates between cells.
        let square = Double(side * side)
        self.sigma = ((sigma * sigma - (square - 1) / 3) / square).squareRoot()
    }
}
