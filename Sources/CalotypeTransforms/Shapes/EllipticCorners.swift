import CalotypeCodecs
import CalotypeCore

/// Cuts all corners off along quarter ellipses.
struct EllipticCorners: VipsTransform {
    let horizontalRadius: Double
    let verticalRadius: Double

    var cacheIdentity: String {
        Identity("ellipticCorners").with("horizontal", horizontalRadius).with("vertical", verticalRadius).text
    }

    func validate() throws(TransformError) {
        try CornerRadii(topLeft: horizontalRadius, topRight: verticalRadius).validate()
    }

    func applied(to picture: VipsPicture) throws(CodecFailure) -> VipsPicture {
        guard horizontalRadius > 0, verticalRadius > 0 else { return picture }
        let shape = RoundedRectangle(
            filling: picture.size,
            horizontalRadius: horizontalRadius,
            verticalRadius: verticalRadius
        )
        return try picture.masked(by: try VipsPicture(shape.mask(picture.size))).rounded()
    }
}

extension TransformChain {
    /// Rounds all corners along quarter ellipses.
    ///
    /// Like ``roundCorners(_:border:)``; the corners stay square if a radius is 0. If two radii are longer
    /// together than their side, both are reduced by the same factor.
    ///
    /// - Parameters:
    ///   - horizontalRadius: In pixels, 0...1,000,000.
    ///   - verticalRadius: In pixels, 0...1,000,000.
    /// - Returns: The transform.
    public static func roundCorners(horizontalRadius: Double, verticalRadius: Double) -> TransformChain {
        if horizontalRadius == verticalRadius { return roundCorners(radius: horizontalRadius) }
        return TransformChain(
            EllipticCorners(horizontalRadius: horizontalRadius, verticalRadius: verticalRadius)
        )
    }
}
