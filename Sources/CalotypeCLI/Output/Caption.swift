import CalotypeCodecs
import CalotypeCore

/// Words as a picture, in the system's sans-serif font.
///
/// Without any font they are drawn as boxes, which is no error.
enum Caption {
    private static let font = "sans 10"

    /// Draws a line of words, black on nothing; blocks.
    ///
    /// - Parameters:
    ///   - text: The words.
    ///   - widthMax: Pixels after which a new line begins, wherever that is.
    ///   - image: What the format of the picture is taken from.
    /// - Returns: The picture, as small as it can be.
    /// - Throws: What libvips said, where it fails.
    static func picture(of text: String, widthMax: Int, like image: Image) throws(CodecFailure) -> Image {
        try VipsPicture.make(
            .text,
            [
                .text("text", escaped(text)), .text("font", font), .integer("width", widthMax),
                .text("wrap", "char"), .text("align", "centre"), .flag("rgba", true),
            ]
        ).image(like: image)
    }

    /// What Pango does not take for markup.
    private static func escaped(_ text: String) -> String {
        let names: [Character: String] = ["&": "&amp;", "<": "&lt;", ">": "&gt;"]
        return text.map { names[$0] ?? String($0) }.joined()
    }
}
