import CalotypeCore

/// Draws pictures on a terminal, each in the place of the last; a pure value that gives the text to write.
struct TerminalCanvas: Hashable, Sendable {
    static let hideCursor = "\u{1B}[?25l"
    static let showCursor = "\u{1B}[?25h"

    /// How pictures are shown.
    let graphics: TerminalGraphics

    /// The most lines of a picture that can be drawn over: beyond them the terminal scrolls.
    let lineCountMax: Int

    /// Lines of the picture that stands there.
    private var lineCount = 0

    /// Creates a canvas below which the cursor has its line, on a terminal of so many lines.
    init(terminalLineCount: Int, graphics: TerminalGraphics = .blocks) {
        self.graphics = graphics
        lineCountMax = terminalLineCount - 1
    }

    /// Whether a picture can be drawn over once it stands there.
    func canReplace(_ image: Image) -> Bool {
        graphics.place(of: image).lines <= lineCountMax
    }

    /// The text that draws a picture over the last one; the cursor is below it then.
    mutating func text(drawing image: Image) -> String {
        let back = lineCount == 0 ? "" : "\u{1B}[\(lineCount)A"
        lineCount = graphics.place(of: image).lines
        // What the last picture had more, below, is erased.
        return back + graphics.text(drawing: image) + "\u{1B}[J"
    }
}
