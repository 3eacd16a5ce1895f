import CalotypeCodecs
public import CalotypeCore
import CalotypeSupport

/// Rotates an image by any angle (`vips_affine`, cubic interpolation).
struct Rotation: NamedTransform, SizeChanging {
    /// Clockwise; 0..<360 if it is finite.
    let degrees: Double
    let background: RGBAColor

    var cacheIdentity: String {
        Identity("rotate").with("degrees", degrees).with("background", background).text
    }

    func validate() throws(TransformError) {
        guard degrees.isFinite else { throw .invalid("rotation by \(degrees)°: use a finite angle") }
    }

    func apply(to image: Image) throws -> Image {
        try validate()
        let size = resultSize(of: image.size)
        try ResultLimit.check(size, of: image.size)
        return try image.computed { try rotated($0, to: size) }
    }

    private var radians: Double { degrees * .pi / 180 }

    /// Returns the smallest size that contains the whole picture, to within a millionth of a pixel.
    func resultSize(of size: PixelSize) -> PixelSize {
        let (across, down) = (abs(cos(radians)), abs(sin(radians)))
        let (width, height) = (Double(size.width), Double(size.height))
        return PixelSize(
            width: Int((width * across + height * down - 1e-6).rounded(.up)),
            height: Int((width * down + height * across - 1e-6).rounded(.up))
        )
    }

    private func rotated(_ picture: VipsPicture, to size: PixelSize) throws(CodecFailure) -> VipsPicture {
        let backdrop = Backdrop(color: background)
        let (across, down) = (cos(radians), sin(radians))
        return try backdrop.prepared(picture).mixing { picture throws(CodecFailure) in
            let background = backdrop.bands(of: picture, isPremultiplied: picture.hasAlpha)
            // The centre stays the centre; libvips measures from the centre of the first pixel.
            return try picture.applying(
                .affine,
                [
                    .numbers("matrix", [across, -down, down, across]),
                    .text("interpolate", "bicubic"),
                    .integers("oarea", [0, 0, size.width, size.height]),
                    .number("idx", -Double(picture.size.width - 1) / 2),
                    .number("idy", -Double(picture.size.height - 1) / 2),
                    .number("odx", Double(size.width - 1) / 2),
                    .number("ody", Double(size.height - 1) / 2),
                    .numbers("background", background),
                    .flag("premultiplied", true),
                ]
            )
        }
    }
}

extension TransformChain {
    /// Rotates an image clockwise by any angle; the result contains all of it.
    ///
    /// The result is w·|cos| + h·|sin| wide and w·|sin| + h·|cos| high, rounded up to whole pixels. Multiples
    /// of 90 are exact quarter turns; whole turns change nothing. Transparent pixels do not contribute
    /// colour.
    ///
    /// - Parameters:
    ///   - degrees: The angle; negative for counter-clockwise. Angles that differ by whole turns are equal.
    ///   - background: The colour of the corners; transparent by default, which adds alpha to the result.
    /// - Returns: The transform, which throws ``TransformError`` with `limitExceeded` if the result would
    ///   have more than 100 million pixels and more than the image.
    public static func rotate(byDegrees degrees: Double, background: RGBAColor = .clear) -> TransformChain {
        let angle = degrees.withoutWholeTurns
        if angle == 0 { return TransformChain() }
        if let turn = Int(exactly: angle).flatMap(QuarterTurn.init) { return rotate(turn) }
        return TransformChain(Rotation(degrees: angle, background: background))
    }

    /// Returns the size of an image after ``rotate(byDegrees:background:)``.
    package static func rotatedSize(of size: PixelSize, byDegrees degrees: Double) -> PixelSize {
        let angle = degrees.withoutWholeTurns
        if angle == 180 || angle == 0 { return size }
        if angle == 90 || angle == 270 { return size.transposed }
        return Rotation(degrees: angle, background: .clear).resultSize(of: size)
    }
}

extension Double {
    /// The angle as 0..<360 degrees; unchanged if it is not finite.
    fileprivate var withoutWholeTurns: Double {
        guard isFinite else { return self }
        let rest = truncatingRemainder(dividingBy: 360)
        let angle = rest < 0 ? rest + 360 : rest
        // A tiny negative angle is rounded up to a whole turn.
        return angle < 360 ? angle : 0
    }
}
