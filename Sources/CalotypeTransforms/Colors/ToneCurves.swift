import CalotypeCodecs
import CalotypeCore

/// A curve for each colour channel (`vips_maplut`).
struct ToneCurves: VipsTransform {
    let red: ToneCurve
    let green: ToneCurve
    let blue: ToneCurve

    private var all: [ToneCurve] { [red, green, blue] }

    private var areEqual: Bool { red == green && green == blue }

    var cacheIdentity: String {
        let identity = Identity("toneCurves", version: 2)
        if areEqual { return identity.with("all", digestOf: red.levels).text }
        return identity.with("each", digestOf: all.flatMap(\.levels)).text
    }

    func validate() throws(TransformError) {
        guard all.allSatisfy({ $0.levels.count == 256 }) else {
            throw .invalid("a tone curve has other than 256 levels")
        }
    }

    func applied(to picture: VipsPicture) throws(CodecFailure) -> VipsPicture {
        // A gray picture keeps one channel if all curves are equal.
        let isGray = picture.bandCount < 3 && areEqual
        let table = try VipsPicture(table(isGray ? [red] : all))
        return try picture.recolored { colors throws(CodecFailure) in
            try colors.applying(.maplut, [.picture("lut", table)])
        }
    }

    /// Returns an image of one row that maps a level, its column, to new levels.
    private func table(_ curves: [ToneCurve]) -> Image {
        let levels = (0..<256).flatMap { level in curves.map { $0.levels[level] } }
        return Image(
            size: PixelSize(width: 256, height: 1),
            pixelFormat: curves.count == 1 ? .gray8 : .rgb8,
            pixels: PixelBuffer(byteCount: levels.count) { $0.copyBytes(from: levels) }
        )
    }
}

extension TransformChain {
    /// Maps the levels of each colour channel by a curve.
    ///
    /// Gray stays gray if all curves are equal, and becomes `rgb8` otherwise. Alpha is unchanged.
    ///
    /// - Parameters:
    ///   - red: The curve of red; no change by default.
    ///   - green: The curve of green; no change by default.
    ///   - blue: The curve of blue; no change by default.
    /// - Returns: The transform.
    public static func toneCurves(
        red: ToneCurve = .identity,
        green: ToneCurve = .identity,
        blue: ToneCurve = .identity
    ) -> TransformChain {
        TransformChain(ToneCurves(red: red, green: green, blue: blue))
    }

    /// Maps the levels of all colour channels by one curve.
    public static func toneCurve(_ curve: ToneCurve) -> TransformChain {
        toneCurves(red: curve, green: curve, blue: curve)
    }
}
