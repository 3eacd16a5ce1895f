import CalotypeCore
import CalotypeSupport

/// An open file descriptor that takes text; its calls block.
struct TextStream: Sendable {
    /// The descriptor; it stays open.
    let descriptor: Int32
    /// What it is called in an error.
    let name: String

    static let standardOutput = TextStream(descriptor: STDOUT_FILENO, name: "standard output")
    static let standardError = TextStream(descriptor: STDERR_FILENO, name: "standard error")

    /// Writes all of the text.
    ///
    /// - Throws: ``CommandError`` where the stream takes no more: its reader has gone, or its disk is full.
    func write(_ text: String) throws(CommandError) {
        try write(Array(text.utf8))
    }

    /// Writes all of the bytes.
    ///
    /// - Throws: ``CommandError`` as for text.
    func write(_ bytes: [UInt8]) throws(CommandError) {
        let error = bytes.withUnsafeBytes { OpenDescriptor.write($0, to: descriptor) }
        guard let error else { return }
        if error == EPIPE { throw CommandError(.outputClosed, detail: "\(name): nobody reads on") }
        throw CommandError(.notWritable, detail: "\(name): \(SystemError.text(error))")
    }

    /// Writes what only decorates: a progress line that is lost is no loss.
    func attempt(_ text: String) {
        do {
            try write(text)
        } catch {
            // Standard error is gone; there is nowhere to say so.
        }
    }

    /// Columns of the terminal; `nil` where it is none, 80 where it does not tell.
    var terminalWidth: Int? { terminalSize?.columns }

    /// Columns and lines of the terminal; `nil` where it is none, 80 × 24 where it does not tell.
    var terminalSize: (columns: Int, lines: Int)? {
        guard isatty(descriptor) == 1 else { return nil }
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return (80, 24)
        }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// The pixels of a character; `nil` where it is no terminal or does not tell.
    var terminalCell: PixelSize? {
        var size = winsize()
        guard isatty(descriptor) == 1, ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0,
            size.ws_row > 0, size.ws_xpixel >= size.ws_col, size.ws_ypixel >= size.ws_row
        else { return nil }
        return PixelSize(width: Int(size.ws_xpixel / size.ws_col), height: Int(size.ws_ypixel / size.ws_row))
    }
}

/// The system's words.
enum SystemError {
    /// What an `errno` means.
    static func text(_ number: Int32) -> String {
        guard let text = strerror(number) else { return "error \(number)" }
        return String(cString: text)
    }
}
