import CalotypeCodecs
public import CalotypeCore
import CalotypeSupport

/// A colour over the image, from transparent to its full alpha along a direction.
struct Gradient: VipsTransform {
    let color: RGBAColor
    /// Clockwise from downwards: at least 0 and below 360.
    let degrees: Double
    let start: Double
    let stop: Double

    init(color: RGBAColor, degrees: Double, start: Double, stop: Double) {
        (self.color, self.start, self.stop) = (color, start, stop)
        let turned = degrees.truncatingRemainder(dividingBy: 360)
        let positive = turned < 0 ? turned + 360 : turned
        // A tiny negative angle plus 360 is rounded to 360.
        self.degrees = positive == 360 ? 0 : positive
    }

    var cacheIdentity: String {
        Identity("gradient").with("color", color).with("degrees", degrees).with("start", start)
            .with("stop", stop).text
    }

    func validate() throws(TransformError) {
        guard degrees.isFinite else { throw .invalid("the gradient's angle is not a finite number") }
        guard (0...1).contains(start), (0...1).contains(stop) else {
            throw .invalid("the gradient from \(start) to \(stop) is out of range; use 0 to 1")
        }
    }

    func applied(to picture: VipsPicture) throws(CodecFailure) -> VipsPicture {
        let share = try share(of: picture.size)
        let layer = try share.applying(
            .linear,
            [
                .numbers("a", [0, 0, 0, Double(color.alpha)]),
                .numbers("b", [Double(color.red), Double(color.green), Double(color.blue), 0]),
            ]
        ).applying(.copy, [.text("interpretation", "srgb")])
        let isGray = picture.bandCount == 1 && color.red == color.green && color.green == color.blue
        return try picture.composited(
            with: layer,
            bandCount: picture.hasAlpha ? 4 : isGray ? 1 : 3
        ).rounded()
    }

    /// Returns one band, 0...1: the share of the colour's alpha at each pixel.
    private func share(of size: PixelSize) throws(CodecFailure) -> VipsPicture {
        let angle = degrees * .pi / 180
        let (x, y) = (-sin(angle), cos(angle))
        let (width, height) = (Double(size.width), Double(size.height))
        // The line from corner to corner, as in CSS.
        let length = width * abs(x) + height * abs(y)
        let range = abs(stop - start) < 1e-6 ? 1e-6 : stop - start
        let (across, down) = (x / length / range, y / length / range)
        // Pixels are measured at their centres.
        let middle = across * (0.5 - width / 2) + down * (0.5 - height / 2)
        let places = try VipsPicture.make(
            .xyz,
            [.integer("width", size.width), .integer("height", size.height)]
        )
        return try places.applying(.cast, [.text("format", "double")])
            .applying(.recomb, [.matrix("m", [[across, down]])])
            .applying(.linear, [.numbers("a", [1]), .numbers("b", [middle + (0.5 - start) / range])])
            .clampedToOne()
    }
}

extension VipsPicture {
    /// Clamps values to 0...1.
    fileprivate func clampedToOne() throws(CodecFailure) -> VipsPicture {
        let missing = try positivePart().applying(.linear, [.numbers("a", [-1]), .numbers("b", [1])])
            .positivePart()
        return try missing.applying(.linear, [.numbers("a", [-1]), .numbers("b", [1])])
    }

    /// Half the sum of a value and its absolute value.
    private func positivePart() throws(CodecFailure) -> VipsPicture {
        try applying(.add, [.picture("right", try applying(.abs))])
            .applying(.linear, [.numbers("a", [0.5]), .numbers("b", [0])])
    }
}

extension TransformChain {
    /// Draws a colour over the image that is transparent on one side and has its full alpha on the other.
    ///
    /// The share of its alpha grows linearly, along a line through the middle that ends where its
    /// perpendiculars meet the corners, as in CSS. An opaque image stays opaque, also if the colour is not;
    /// transparent parts are covered too.
    ///
    /// - Parameters:
    ///   - color: The colour with its alpha on the far side.
    ///   - degrees: The direction in which it grows, clockwise from downwards: 90 is to the left, 180 up, 270
    ///     to the right; 0 by default.
    ///   - start: The position on the line where it begins, 0...1; 0 by default.
    ///   - stop: The position from which it has its full alpha, 0...1; 1 by default. If it is before the
    ///     start, the gradient is reversed.
    /// - Returns: The transform, which throws `invalidParameter` for values out of range.
    /// - SeeAlso: W3C CSS Images Level 3, `linear-gradient()`.
    public static func gradient(
        _ color: RGBAColor,
        degrees: Double = 0,
        from start: Double = 0,
        to stop: Double = 1
    ) -> TransformChain {
        TransformChain(Gradient(color: color, degrees: degrees, start: start, stop: stop))
    }
}
