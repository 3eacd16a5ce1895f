import CalotypeCore
import CalotypeSupport

/// An open file descriptor for text output; its calls block.
struct TextStream: Sendable {
    /// The descriptor; it stays open.
    let descriptor: Int32
    let name: String

    static let standardOutput = TextStream(descriptor: STDOUT_FILENO, name: "standard output")
    static let standardError = TextStream(descriptor: STDERR_FILENO, name: "standard error")

    /// Writes all of the text.
    ///
    /// - Throws: ``CommandError`` if its reader has closed it, or its disk is full.
    func write(_ text: String) throws(CommandError) {
        try write(Array(text.utf8))
    }

    /// Writes all of the bytes.
    ///
    /// - Throws: ``CommandError`` as for text.
    func write(_ bytes: [UInt8]) throws(CommandError) {
        let error = bytes.withUnsafeBytes { OpenDescriptor.write($0, to: descriptor) }
        guard let error else { return }
        if error == EPIPE { throw CommandError(.outputClosed, detail: "\(name): the reader has closed it") }
        throw CommandError(.notWritable, detail: "\(name): \(SystemError.text(error))")
    }

    /// Writes decoration such as a progress line, ignoring errors.
    func attempt(_ text: String) {
        do {
            try write(text)
        } catch {
            // Standard error is closed; the failure cannot be reported.
        }
    }

    /// The columns of the terminal; `nil` if it is not a terminal, 80 if unknown.
    var terminalWidth: Int? { terminalSize?.columns }

    /// The columns and lines of the terminal; `nil` if it is not a terminal, 80 × 24 if unknown.
    var terminalSize: (columns: Int, lines: Int)? {
        guard isatty(descriptor) == 1 else { return nil }
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return (80, 24)
        }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// The pixel size of a character; `nil` if it is not a terminal or the size is unknown.
    var terminalCell: PixelSize? {
        var size = winsize()
        guard isatty(descriptor) == 1, ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0,
            size.ws_row > 0, size.ws_xpixel >= size.ws_col, size.ws_ypixel >= size.ws_row
        else { return nil }
        return PixelSize(width: Int(size.ws_xpixel / size.ws_col), height: Int(size.ws_ypixel / size.ws_row))
    }
}

enum SystemError {
    /// Returns the text of an `errno`.
    static func text(_ number: Int32) -> String {
        guard let text = strerror(number) else { return "error \(number)" }
        return String(cString: text)
    }
}
