import ArgumentParser
import CalotypeCore
import Foundation

/// How a terminal shows pictures.
enum TerminalGraphics: Hashable, Sendable {
    /// By characters, each of which is two pixels.
    case blocks
    /// By pixels, so many a character cell: the terminal graphics protocol of kitty, which WezTerm, Ghostty
    /// and Konsole have too (https://sw.kovidgoyal.net/kitty/graphics-protocol/).
    case kitty(cell: PixelSize)

    /// What a person asks for.
    enum Choice: String, ExpressibleByArgument, CaseIterable {
        case auto, blocks, kitty
    }

    /// What terminals have that do not tell how large their characters are.
    private static let usualCell = PixelSize(width: 10, height: 20)

    /// Decides by what the terminal calls itself in the environment.
    ///
    /// - Parameters:
    ///   - choice: What was asked for.
    ///   - cell: The pixels of a character; `nil` where the terminal does not tell.
    ///   - environment: The program's; inside tmux and screen a terminal is not what it calls itself.
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

    /// The pixels that are shown in the place of one character.
    var cell: PixelSize {
        switch self {
        case .blocks: PixelSize(width: 1, height: 2)
        case .kitty(let cell): cell
        }
    }

    /// The columns and lines that a picture takes.
    func place(of image: Image) -> (columns: Int, lines: Int) {
        let (size, cell) = (image.size, cell)
        return ((size.width + cell.width - 1) / cell.width, (size.height + cell.height - 1) / cell.height)
    }

    /// The text that draws a picture from where the cursor is, which is below it then.
    ///
    /// It replaces the picture that was drawn by pixels before.
    func text(drawing image: Image) -> String {
        guard case .kitty = self else {
            // What the last picture had more, to the right, is erased.
            return TerminalPicture.lines(of: image).map { $0 + "\u{1B}[K\n" }.joined()
        }
        let (columns, lines) = place(of: image)
        // Room first, since a terminal that scrolls would take the picture with it; then back.
        let room = String(repeating: "\n", count: lines) + "\u{1B}[\(lines)A"
        let keys = "a=T,f=32,s=\(image.size.width),v=\(image.size.height),c=\(columns),r=\(lines),i=1,C=1,q=2"
        return room + Self.commands(keys, image.rgba8()) + "\u{1B}[\(lines)B"
    }

    /// The commands of the protocol, which carry at most 4,096 characters each.
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
