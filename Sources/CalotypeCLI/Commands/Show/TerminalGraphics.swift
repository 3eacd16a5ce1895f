import ArgumentParser
import CalotypeCore
import Foundation

/// A method of drawing images on a terminal.
enum TerminalGraphics: Hashable, Sendable {
    /// Half-block characters, each of which is two pixels.
    case blocks
    /// Pixels, a fixed number for each character cell: the terminal graphics protocol of kitty, which
    /// WezTerm, Ghostty and Konsole support too (https://sw.kovidgoyal.net/kitty/graphics-protocol/).
    case kitty(cell: PixelSize)

    /// The value of `--graphics`.
    enum Choice: String, ExpressibleByArgument, CaseIterable {
        case auto, blocks, kitty
    }

    /// The usual cell size, for terminals that do not report theirs.
    private static let usualCell = PixelSize(width: 10, height: 20)

    /// Selects the method by the terminal's name in the environment.
    ///
    /// - Parameters:
    ///   - choice: The requested method.
    ///   - cell: The pixels of a character; `nil` if the terminal does not report them.
    ///   - environment: The environment; inside tmux and screen the terminal's name is not that of the real
    ///     one.
    init(_ choice: Choice, cell: PixelSize?, environment: [String: String]) {
        let isHidden = environment["TMUX"] != nil || environment["TERM"]?.hasPrefix("screen") == true
        let isKitty =
            environment["KITTY_WINDOW_ID"] != nil
            || ["xterm-kitty", "xterm-ghostty"].contains(environment["TERM"])
            || ["WezTerm", "ghostty"].contains(environment["TERM_PROGRAM"])
            || environment["KONSOLE_VERSION"] != nil
        switch choice {
        case .auto where isKitty && !isHidden, .kitty: self = .kitty(cell: cell ?? Self.usualCell)
        case .auto, .blocks: self = .blocks
        }
    }

    /// The number of pixels shown in one character cell.
    var cell: PixelSize {
        switch self {
        case .blocks: PixelSize(width: 1, height: 2)
        case .kitty(let cell): cell
        }
    }

    /// Returns the number of columns and lines of an image.
    func place(of image: Image) -> (columns: Int, lines: Int) {
        let (size, cell) = (image.size, cell)
        return ((size.width + cell.width - 1) / cell.width, (size.height + cell.height - 1) / cell.height)
    }

    /// Returns the text that draws an image at the cursor, and leaves the cursor below it.
    ///
    /// With the pixel protocol it replaces the image drawn before.
    func text(drawing image: Image) -> String {
        guard case .kitty = self else {
            // Erases the rest of a wider last image.
            return TerminalImage.lines(of: image).map { $0 + "\u{1B}[K\n" }.joined()
        }
        let (columns, lines) = place(of: image)
        // Line feeds first, since a terminal that scrolls would move the image too; then back up.
        let room = String(repeating: "\n", count: lines) + "\u{1B}[\(lines)A"
        let keys = "a=T,f=32,s=\(image.size.width),v=\(image.size.height),c=\(columns),r=\(lines),i=1,C=1,q=2"
        return room + Self.commands(keys, image.rgba8()) + "\u{1B}[\(lines)B"
    }

    /// Returns the commands of the protocol, which carry at most 4,096 characters each.
    private static func commands(_ keys: String, _ pixels: Data) -> String {
        var text = ""
        var rest = pixels[...]
        var keys = keys + ","
        repeat {
            let part = rest.prefix(3072)
            rest = rest.dropFirst(3072)
            text += "\u{1B}_G\(keys)m=\(rest.isEmpty ? 0 : 1);\(Data(part).base64EncodedString())\u{1B}\\"
            keys = ""
        } while !rest.isEmpty
        return text
    }
}
