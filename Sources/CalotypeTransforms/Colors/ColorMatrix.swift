import CalotypeCodecs

/// Each channel of the result as a weighted sum of the channels red, green and blue.
struct ColorMatrix {
    /// The weights of red, green and blue for each channel of the result.
    let rows: [SIMD3<Double>]

    static let identity = ColorMatrix(rows: [[1, 0, 0], [0, 1, 0], [0, 0, 1]])

    /// The weights of red, green and blue in luma (ITU-R BT.709), for channels as stored.
    static let lumaWeights: SIMD3<Double> = [0.2126, 0.7152, 0.0722]

    static let luma = ColorMatrix(rows: [lumaWeights, lumaWeights, lumaWeights])

    /// Returns the product: the first matrix, followed by the second.
    static func * (second: ColorMatrix, first: ColorMatrix) -> ColorMatrix {
        ColorMatrix(
            rows: second.rows.map { $0.x * first.rows[0] + $0.y * first.rows[1] + $0.z * first.rows[2] }
        )
    }

    static func * (factor: Double, matrix: ColorMatrix) -> ColorMatrix {
        ColorMatrix(rows: matrix.rows.map { factor * $0 })
    }

    static func + (left: ColorMatrix, right: ColorMatrix) -> ColorMatrix {
        ColorMatrix(rows: zip(left.rows, right.rows).map { $0 + $1 })
    }

    static func - (left: ColorMatrix, right: ColorMatrix) -> ColorMatrix {
        left + -1 * right
    }

    /// The factors of a single gray channel: each row's sum; one factor, if all are equal but for rounding
    /// errors.
    fileprivate var sums: [Double] {
        let sums = rows.map { $0.sum() }
        return sums.allSatisfy { abs($0 - sums[0]) < 1e-9 } ? [sums[0]] : sums
    }
}

extension VipsPicture {
    /// Transforms colours and leaves alpha unchanged.
    ///
    /// - Parameter body: Receives the colours without alpha.
    /// - Returns: The result, rounded to 8 bits a band.
    /// - Throws: The error of `body`.
    func recolored(
        _ body: (VipsPicture) throws(CodecFailure) -> VipsPicture
    ) throws(CodecFailure) -> VipsPicture {
        guard hasAlpha else { return try body(self).rounded() }
        let colorBandCount = bandCount - 1
        let colors = try applying(.extract_band, [.integer("band", 0), .integer("n", colorBandCount)])
        let alpha = try applying(.extract_band, [.integer("band", colorBandCount)])
        return try VipsPicture.make(.bandjoin, [.pictures("in", [try body(colors).rounded(), alpha])])
    }

    /// Multiplies the colours by a matrix, in floating point without clamping; gray stays gray if possible.
    ///
    /// - Precondition: The picture has no alpha.
    func mixed(_ matrix: ColorMatrix) throws(CodecFailure) -> VipsPicture {
        let rows = bandCount == 1 ? matrix.sums.map { [$0] } : matrix.rows.map { [$0.x, $0.y, $0.z] }
        return try applying(.recomb, [.matrix("m", rows)])
    }
}
