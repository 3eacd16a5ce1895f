import CalotypeCodecs

/// Each channel of the result as a weighted sum of the channels red, green and blue.
struct ColorMatrix {
    /// The weights of red, green and blue for each channel of the result.
    let rows: [SIMD3<Double>]

    /// The channels as they are.
    static let identity = ColorMatrix(rows: [[1, 0, 0], [0, 1, 0], [0, 0, 1]])

    /// What red, green and blue add to luma, by ITU-R BT.709; for channels as they are stored.
    static let lumaWeights: SIMD3<Double> = [0.2126, 0.7152, 0.0722]

    /// Luma in each channel.
    static let luma = ColorMatrix(rows: [lumaWeights, lumaWeights, lumaWeights])

    /// What is done by one matrix and then by another.
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

    /// What becomes of one gray channel: each row's sum; one channel, where all are the same.
    ///
    /// What differs by rounding alone is the same.
    fileprivate var sums: [Double] {
        let sums = rows.map { $0.sum() }
        return sums.allSatisfy { abs($0 - sums[0]) < 1e-9 } ? [sums[0]] : sums
    }
}

extension VipsPicture {
    /// Changes colours and leaves alpha as it is.
    ///
    /// - Parameter body: Gets the colours without alpha.
    /// - Returns: The result, rounded to 8 bits a band.
    /// - Throws: What `body` throws.
    func recolored(
        _ body: (VipsPicture) throws(CodecFailure) -> VipsPicture
    ) throws(CodecFailure) -> VipsPicture {
        guard hasAlpha else { return try body(self).rounded() }
        let colorBandCount = bandCount - 1
        let colors = try applying(.extract_band, [.integer("band", 0), .integer("n", colorBandCount)])
        let alpha = try applying(.extract_band, [.integer("band", colorBandCount)])
        return try VipsPicture.make(.bandjoin, [.pictures("in", [try body(colors).rounded(), alpha])])
    }

    /// The colours as a matrix mixes them, in floating point and not clamped; gray stays gray where it can.
    ///
    /// - Precondition: There is no alpha.
    func mixed(_ matrix: ColorMatrix) throws(CodecFailure) -> VipsPicture {
        let rows = bandCount == 1 ? matrix.sums.map { [$0] } : matrix.rows.map { [$0.x, $0.y, $0.z] }
        return try applying(.recomb, [.matrix("m", rows)])
    }
}
