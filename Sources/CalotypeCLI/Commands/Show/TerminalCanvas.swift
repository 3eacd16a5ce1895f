import CalotypeCore

/// A drawing position on a terminal that replaces each image by the next one; a value that returns the text
/// to write.
struct TerminalCanvas: Hashable, Sendable {
    static let hideCursor = "\u{1B}[?25l"
    static let showCursor = "\u{1B}[?25h"

    /// The drawing method.
    let graphics: TerminalGraphics

    /// The most lines of an image that can be drawn over; beyond them the terminal scrolls.
    let maxLineCount: Int

    private var lineCount = 0

    /// Creates a canvas for a terminal with this number of lines, of which the cursor takes the last.
    init(terminalLineCount: Int, graphics: TerminalGraphics = .blocks) {
        self.graphics = graphics
        maxLineCount = terminalLineCount - 1
    }

    /// Whether an image, once drawn, can be drawn over.
    func canReplace(_ image: Image) -> Bool {
        graphics.place(of: image).lines <= maxLineCount
    }

    /// Returns the text that draws an image over the last one, and leaves the cursor below it.
    mutating func text(drawing image: Image) -> String {
        let back = lineCount == 0 ? "" : "\u{1B}[\(lineCount)A"
        lineCount = graphics.place(of: image).lines
        // Erases the rest of a taller last image.
        return back + graphics.text(drawing: image) + "\u{1B}[J"
    }
}
