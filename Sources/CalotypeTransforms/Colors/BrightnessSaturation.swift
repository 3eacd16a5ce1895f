import CalotypeCodecs

/// Saturation around the perceived brightness of each pixel, as in thumbor.
struct BrightnessSaturation: VipsTransform {
    /// 0 for no colour, 1 for no change.
    let factor: Double

    var cacheIdentity: String { Identity("brightnessSaturation").with("factor", factor).text }

    func validate() throws(TransformError) {
        guard (0...100).contains(factor) else {
            throw .invalid("saturation \(factor) is out of range; use 0 to 100")
        }
    }

    func applied(to picture: VipsPicture) throws(CodecFailure) -> VipsPicture {
        // The brightness of gray is its level.
        guard picture.bandCount > 1 else { return picture }
        return try picture.recolored { colors throws(CodecFailure) in
            let brightness = try colors.applying(.multiply, [.picture("right", colors)])
                .mixed(ColorMatrix(rows: [Luma.rec601.weights]))
                .applying(.math2_const, [.text("math2", "pow"), .numbers("c", [0.5])])
            return try colors.scaled(by: factor)
                .applying(.add, [.picture("right", try brightness.scaled(by: 1 - factor))])
        }
    }
}

extension VipsPicture {
    fileprivate func scaled(by factor: Double) throws(CodecFailure) -> VipsPicture {
        try applying(.linear, [.numbers("a", [factor]), .numbers("b", [0])])
    }
}

extension TransformChain {
    /// Moves each channel *c* from the perceived brightness, *p* = √(0.299 R² + 0.587 G² + 0.114 B²):
    /// *p* + (*c* − *p*) × factor, rounded and clamped.
    ///
    /// Gray and alpha are unchanged.
    ///
    /// - Parameter factor: 0...100: 0 has no colour, 1 changes nothing.
    /// - Returns: The transform, which throws `invalidParameter` for a factor out of range.
    package static func saturation(aroundBrightness factor: Double) -> TransformChain {
        TransformChain(BrightnessSaturation(factor: factor))
    }
}
