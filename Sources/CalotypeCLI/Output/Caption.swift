import CalotypeCodecs
import CalotypeCore

/// Text rendered as an image, in the system's sans-serif font.
///
/// Without any font, libvips draws boxes of any size and reports no error.
enum Caption {
    private static let font = "sans 10"

    /// Renders text, black on transparent; blocks.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - maxWidth: The maximum width of a line in pixels; lines preferably break after a comma.
    ///   - image: An image whose format is used.
    /// - Returns: The image, cropped to the text.
    /// - Throws: The error of libvips.
    static func picture(of text: String, maxWidth: Int, like image: Image) throws(CodecFailure) -> Image {
        try VipsPicture.make(
            .text,
            [
                .text("text", markup(for: text)), .text("font", font), .integer("width", maxWidth),
                .text("wrap", "word-char"), .text("align", "centre"), .flag("rgba", true),
            ]
        ).image(like: image)
    }

    /// Returns the text in Pango markup; a zero-width space after a comma allows a line break.
    private static func markup(for text: String) -> String {
        let spellings: [Character: String] = ["&": "&amp;", "<": "&lt;", ">": "&gt;", ",": ",\u{200B}"]
        return text.map { spellings[$0] ?? String($0) }.joined()
    }
}
