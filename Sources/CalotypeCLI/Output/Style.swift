import Foundation

/// Colours on a terminal, unless `NO_COLOR` (https://no-color.org) is set or the terminal is dumb.
struct Style: Hashable, Sendable {
    let hasColor: Bool

    static let ofStandardError = Style(
        isTerminal: TextStream.standardError.terminalWidth != nil,
        environment: ProcessInfo.processInfo.environment
    )

    static let plain = Style(isTerminal: false, environment: [:])

    init(isTerminal: Bool, environment: [String: String]) {
        let isUnwanted = environment["NO_COLOR"].map { !$0.isEmpty } ?? false
        hasColor = isTerminal && !isUnwanted && environment["TERM"] != "dumb"
    }

    /// Returns `error: …`, its first word in bold red.
    func error(_ text: String) -> String { label("error:", "1;31") + " " + text }

    /// Returns `warning: …`, its first word in bold yellow.
    func warning(_ text: String) -> String { label("warning:", "1;33") + " " + text }

    private func label(_ word: String, _ code: String) -> String {
        hasColor ? "\u{1B}[\(code)m\(word)\u{1B}[0m" : word
    }
}
