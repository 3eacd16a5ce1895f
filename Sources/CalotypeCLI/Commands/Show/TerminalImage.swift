import CalotypeCore
import Foundation

/// An image as text for a terminal with true colour: each character is two pixels, one above the other, drawn
/// with a half block; transparent pixels show the terminal's background.
enum TerminalImage {
    /// Returns the lines of the image, with the terminal's colours reset at the end of each; no line ends.
    static func lines(of image: Image) -> [String] {
        let pixels = image.rgba8()
        return stride(from: 0, to: image.size.height, by: 2).map { row in
            line(
                above: pixels.row(row, of: image.size),
                below: row + 1 < image.size.height ? pixels.row(row + 1, of: image.size) : nil
            )
        }
    }

    private static func line(above: [Color?], below: [Color?]?) -> String {
        var text = ""
        var pen = Pen()
        for column in above.indices {
            switch (above[column], below?[column]) {
            case (let top?, let bottom?):
                text += pen.set(foreground: top, background: bottom) + "▀"
            case (let top?, nil):
                text += pen.set(foreground: top, background: nil) + "▀"
            case (nil, let bottom?):
                text += pen.set(foreground: bottom, background: nil) + "▄"
            case (nil, nil):
                text += pen.set(foreground: pen.foreground, background: nil) + " "
            }
        }
        return text + "\u{1B}[0m"
    }

    fileprivate struct Color: Equatable {
        let red, green, blue: UInt8

        var parameters: String { "2;\(red);\(green);\(blue)" }
    }

    /// The current colours, so that only changes are written.
    private struct Pen {
        private(set) var foreground: Color?
        private var background: Color?

        mutating func set(foreground: Color?, background: Color?) -> String {
            var codes: [String] = []
            if foreground != self.foreground, let foreground { codes.append("38;" + foreground.parameters) }
            if background != self.background {
                codes.append(background.map { "48;" + $0.parameters } ?? "49")
            }
            (self.foreground, self.background) = (foreground, background)
            return codes.isEmpty ? "" : "\u{1B}[" + codes.joined(separator: ";") + "m"
        }
    }
}

extension Data {
    /// Returns the colours of a row of RGBA pixels; `nil` for pixels that are more transparent than opaque.
    fileprivate func row(_ index: Int, of size: PixelSize) -> [TerminalImage.Color?] {
        (0..<size.width).map { column in
            let start = startIndex + (index * size.width + column) * 4
            guard self[start + 3] >= 128 else { return nil }
            return TerminalImage.Color(red: self[start], green: self[start + 1], blue: self[start + 2])
        }
    }
}
