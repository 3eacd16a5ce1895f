import CalotypeCodecs
import CalotypeCore

/// A colour for the area around a picture.
struct Backdrop {
    let color: RGBAColor

    private var isGray: Bool { color.red == color.green && color.green == color.blue }

    /// Adds the bands that the colour requires: colours if it is not gray, alpha if it is not opaque.
    func prepared(_ picture: VipsPicture) throws(CodecFailure) -> VipsPicture {
        var picture = picture
        if picture.bandCount < 3, !isGray {
            picture = try picture.applying(.colourspace, [.text("space", "srgb")])
        }
        guard color.alpha < 255, !picture.hasAlpha else { return picture }
        return try picture.applying(.bandjoin_const, [.numbers("c", [255])])
    }

    /// Returns the colour in the bands of a prepared picture.
    ///
    /// - Parameters:
    ///   - picture: The picture.
    ///   - isPremultiplied: True for premultiplied colours.
    /// - Returns: A number for each band, 0...255.
    func bands(of picture: VipsPicture, isPremultiplied: Bool = false) -> [Double] {
        let factor = isPremultiplied ? Double(color.alpha) / 255 : 1
        let channels = picture.bandCount < 3 ? [color.red] : [color.red, color.green, color.blue]
        return channels.map { Double($0) * factor } + (picture.hasAlpha ? [Double(color.alpha)] : [])
    }
}
