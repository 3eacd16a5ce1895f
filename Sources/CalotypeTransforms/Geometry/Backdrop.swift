import CalotypeCodecs
import CalotypeCore

/// A colour where a picture does not reach.
struct Backdrop {
    let color: RGBAColor

    private var isGray: Bool { color.red == color.green && color.green == color.blue }

    /// The picture with the bands that the colour needs beside its own: colours for one that is not gray,
    /// alpha for one that does not cover.
    func prepared(_ picture: VipsPicture) throws(CodecFailure) -> VipsPicture {
        var picture = picture
        if picture.bandCount < 3, !isGray {
            picture = try picture.applying(.colourspace, [.text("space", "srgb")])
        }
        guard color.alpha < 255, !picture.hasAlpha else { return picture }
        return try picture.applying(.bandjoin_const, [.numbers("c", [255])])
    }

    /// The colour in the bands of a picture that has been prepared.
    ///
    /// - Parameters:
    ///   - picture: The picture.
    ///   - isPremultiplied: Whether its colours are multiplied by alpha.
    /// - Returns: A number for each band, 0...255.
    func bands(of picture: VipsPicture, isPremultiplied: Bool = false) -> [Double] {
        let factor = isPremultiplied ? Double(color.alpha) / 255 : 1
        let channels = picture.bandCount < 3 ? [color.red] : [color.red, color.green, color.blue]
        return channels.map { Double($0) * factor } + (picture.hasAlpha ? [Double(color.alpha)] : [])
    }
}
