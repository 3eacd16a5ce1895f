import CalotypeCore
import CalotypeSupport

/// The program's output: results on standard output, everything else on standard error.
///
/// Writes may block for any time, so they run in order on a separate thread. A progress line is erased before
/// other output, and must be redrawn after it.
final class Console: Sendable {
    /// Whether results are JSON objects, one per line.
    let isJSON: Bool

    /// The columns for a progress line; `nil` if standard error is not a terminal, or JSON is requested.
    let progressWidth: Int?

    /// Whether results are written: false if standard output carries the image itself.
    private let tellsResults: Bool

    private let style: Style
    private let output: TextStream
    private let errors: TextStream
    private let thread = BlockingPool(width: 1)
    private let hasProgressLine = Guarded(false)
    private let headersWritten = Guarded<Set<String>>([])

    /// Creates a console on the process's standard streams.
    convenience init(isJSON: Bool, tellsResults: Bool = true) {
        let errors = TextStream.standardError
        self.init(
            isJSON: isJSON,
            output: .standardOutput,
            errors: errors,
            terminalWidth: errors.terminalWidth,
            style: .ofStandardError,
            tellsResults: tellsResults
        )
    }

    init(
        isJSON: Bool,
        output: TextStream,
        errors: TextStream,
        terminalWidth: Int? = nil,
        style: Style = .plain,
        tellsResults: Bool = true
    ) {
        self.isJSON = isJSON
        self.output = output
        self.errors = errors
        self.style = style
        self.tellsResults = tellsResults
        progressWidth = isJSON ? nil : terminalWidth
    }

    /// Writes a result: as JSON, or as a row of a table, with the header above the first row.
    func write(_ record: Record, as table: Table) async throws {
        guard tellsResults else { return }
        guard !isJSON else { return try await write(record.json, to: output) }
        let isFirst = headersWritten.withLock { $0.insert(table.header).inserted }
        let lines = isFirst && table.hasHeader ? [table.header, table.row(record)] : [table.row(record)]
        try await write(lines.joined(separator: "\n"), to: output)
    }

    /// Writes a result: as JSON, or as text.
    func write(_ record: Record, as text: String) async throws {
        guard tellsResults else { return }
        try await write(isJSON ? record.json : text, to: output)
    }

    /// Writes a line to standard output, unless JSON is requested.
    func say(_ text: String) async throws {
        guard tellsResults, !isJSON else { return }
        try await write(text, to: output)
    }

    /// Writes text with control sequences to standard output, without a line end.
    func draw(_ text: String) async throws(CommandError) {
        let output = output
        try await thread.run { [self] () throws(CommandError) in
            clearProgressLine()
            try output.write(text)
        }
    }

    /// The columns and lines of the terminal on standard output, or `nil` if it is not a terminal.
    var terminalSize: (columns: Int, lines: Int)? { output.terminalSize }

    /// The pixel size of a character of that terminal; `nil` if unknown.
    var terminalCell: PixelSize? { output.terminalCell }

    /// Writes `error: …` to standard error.
    func report(error text: String) async throws {
        try await write(style.error(SafeText.withoutCredentials(SafeText.line(text))), to: errors)
    }

    /// Writes `warning: …` to standard error.
    func report(warning text: String) async throws {
        try await write(style.warning(SafeText.withoutCredentials(SafeText.line(text))), to: errors)
    }

    /// Writes a summary to standard error if a progress line may be shown.
    func conclude(_ text: String) async throws {
        guard progressWidth != nil else { return }
        try await write(SafeText.line(text), to: errors)
    }

    /// Draws the progress line in place of the last one, and returns at once.
    ///
    /// `nil` erases the line.
    func showProgress(_ text: String?) {
        thread.enqueue { [self] in
            clearProgressLine()
            guard let text else { return }
            hasProgressLine.withLock { $0 = true }
            errors.attempt(text)
        }
    }

    private func write(_ line: String, to stream: TextStream) async throws(CommandError) {
        try await thread.run { [self] () throws(CommandError) in
            clearProgressLine()
            try stream.write(line + "\n")
        }
    }

    private func clearProgressLine() {
        let isShown = hasProgressLine.withLock { flag in
            defer { flag = false }
            return flag
        }
        if isShown { errors.attempt("\r\u{1B}[K") }
    }
}
