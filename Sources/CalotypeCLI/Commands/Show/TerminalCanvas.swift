import CalotypeCore

/// Draws pictures on a terminal, each in the place of the last; a pure value that gives the text to write.
struct TerminalCanvas: Hashable, Sendable {
    static let hideCursor = "\u{1B}[?25l"
    static let showCursor = "\u{1B}[?25h"

    /// The most lines of a picture that can be drawn over: beyond them the terminal scrolls.
    let lineCountMax: Int

    /// Lines of the picture that stands there.
    private var lineCount = 0

    /// Creates a canvas below which the cursor has its line, on a terminal of so many lines.
    init(terminalLineCount: Int) {
        lineCountMax = terminalLineCount - 1
    }

    /// Whether a picture can be drawn over once it stands there.
    func canReplace(_ image: Image) -> Bool {
        (image.size.height + 1) / 2 <= lineCountMax
    }

    /// The text that draws a picture over the last one; the cursor is below it then.
    mutating func text(drawing image: Image) -> String {
        let lines = TerminalPicture.lines(of: image)
        let back = lineCount == 0 ? "" : "\u{1B}[\(lineCount)A"
        lineCount = lines.count
        // What the last picture had more, to the right and below, is erased.
        return back + lines.map { $0 + "\u{1B}[K\n" }.joined() + "\u{1B}[J"
    }
}
