import CalotypeCodecs
import CalotypeCore

/// Words as a picture, in the system's sans-serif font.
///
/// Without any font they are drawn as boxes of any size, which is no error.
enum Caption {
    private static let font = "sans 10"

    /// Draws words, black on nothing; blocks.
    ///
    /// - Parameters:
    ///   - text: The words.
    ///   - widthMax: Pixels after which a new line begins, behind a comma where there is one.
    ///   - image: What the format of the picture is taken from.
    /// - Returns: The picture, as small as it can be.
    /// - Throws: What libvips said, where it fails.
    static func picture(of text: String, widthMax: Int, like image: Image) throws(CodecFailure) -> Image {
        try VipsPicture.make(
            .text,
            [
                .text("text", markup(for: text)), .text("font", font), .integer("width", widthMax),
                .text("wrap", "word-char"), .text("align", "centre"), .flag("rgba", true),
            ]
        ).image(like: image)
    }

    /// The text in Pango's markup; a space of no width behind a comma is where a line may end.
    private static func markup(for text: String) -> String {
        let spellings: [Character: String] = ["&": "&amp;", "<": "&lt;", ">": "&gt;", ",": ",\u{200B}"]
        return text.map { spellings[$0] ?? String($0) }.joined()
    }
}
