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
        let opacity = Double(color.alpha) / Self.whole
        guard !picture.hasAlpha else {
            let layer = try share.applying(
                .linear,
                [.numbers("a", [0, 0, 0, opacity]), .numbers("b", color.channels + [0])]
            )
            return try picture.composited(
                with: try layer.applying(.copy, [.text("interpretation", "srgb")]),
                bandCount: 4
            ).rounded()
        }
        // A gray picture keeps one channel under a gray colour.
        let isGray = picture.bandCount == 1 && Set(color.channels).count == 1
        let channels = isGray ? [color.channels[0]] : color.channels
        let kept = try share.applying(
            .linear,
            [.numbers("a", [-opacity / 255]), .numbers("b", [1])]
        )
        let added = try share.applying(
            .linear,
            [
                .numbers("a", channels.map { $0 * opacity / 255 }),
                .numbers("b", channels.map { _ in 0 }),
            ]
        )
        return try picture.applying(.multiply, [.picture("right", kept)])
            .applying(.add, [.picture("right", added)]).rounded()
    }

    /// The value of the whole share: the largest number of 16 bits.
    private static let whole = 65_535.0

    /// Returns one band, 0...65,535: the share of the colour's alpha at each pixel.
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
        let offset = (middle + (0.5 - start) / range) * Self.whole + 0.5
        let places = try VipsPicture.make(
            .xyz,
            [.integer("width", size.width), .integer("height", size.height)]
        )
        // A cast clamps to the range of the format, and removes fractions.
        return try places.applying(.recomb, [.matrix("m", [[across * Self.whole, down * Self.whole]])])
            .applying(.linear, [.numbers("a", [1]), .numbers("b", [offset])])
            .applying(.cast, [.text("format", "ushort")])
    }
}

extension RGBAColor {
    /// Red, green and blue, 0...255.
    fileprivate var channels: [Double] { [Double(red), Double(green), Double(blue)] }
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
