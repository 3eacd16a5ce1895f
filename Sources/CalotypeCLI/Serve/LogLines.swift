import CalotypeCore
import CalotypeServer
import CalotypeSupport
import Foundation
import Logging

/// A queue of log lines for standard error, which may be a pipe that no process reads.
///
/// A thread of its own writes them. While too many lines wait, further lines are dropped, and their number is
/// logged.
final class LogLines: Sendable {
    private static let maxWaitingCount = 10_000

    private struct State {
        var lines: [String] = []
        var lostCount = 0
        var isWriting = false
    }

    private let stream: TextStream
    private let thread = BlockingPool(width: 1)
    private let state = Guarded(State())

    init(_ stream: TextStream = .standardError) {
        self.stream = stream
    }

    func write(_ line: String) {
        let starts = state.withLock { state in
            guard state.lines.count < Self.maxWaitingCount else {
                state.lostCount += 1
                return false
            }
            state.lines.append(line)
            defer { state.isWriting = true }
            return !state.isWriting
        }
        if starts { thread.enqueue { [self] in writeAll() } }
    }

    /// Returns when all earlier lines are written.
    func flush() async {
        await thread.run { [self] in writeAll() }
    }

    private func writeAll() {
        while true {
            let text = state.withLock { state -> String? in
                guard !state.lines.isEmpty || state.lostCount > 0 else {
                    state.isWriting = false
                    return nil
                }
                var lines = state.lines
                if state.lostCount > 0 { lines.append("\(state.lostCount) log lines were dropped") }
                (state.lines, state.lostCount) = ([], 0)
                return lines.joined(separator: "\n") + "\n"
            }
            guard let text else { return }
            stream.attempt(text)
        }
    }
}

/// Formats `swift-log` events as lines: text, or JSON.
struct LineLogHandler: LogHandler {
    let lines: LogLines
    let isJSON: Bool
    let timeSource: any TimeSource
    var logLevel = Logger.Level.info
    var metadata: Logger.Metadata = [:]

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let time = "\(timeSource.now())"
        let members = metadata.merging(event.metadata ?? [:]) { $1 }.sorted { $0.key < $1.key }
        guard isJSON else {
            let pairs = members.map { " \($0.key)=\(Self.quoted(SafeText.line(Self.text($0.value))))" }
                .joined()
            return lines.write(
                "\(time) \(event.level) \(SafeText.line(Self.text("\(event.message)")))\(pairs)"
            )
        }
        let fields: [(String, Record.Value?)] =
            [
                ("time", .text(time)), ("level", .text("\(event.level)")),
                ("message", .text(Self.text("\(event.message)"))),
            ]
            + members.map { ($0.key, Self.value($0.value)) }
        lines.write(Record(fields.map { (name: $0.0, value: $0.1) }).json)
    }

    /// Quotes a value that could be taken for several fields.
    private static func quoted(_ text: String) -> String {
        guard text.utf8.contains(where: { " \"".utf8.contains($0) }) else { return text }
        return "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }

    /// Returns the text without the user and the password of a URL, such as that of a rejected source.
    private static func text(_ value: Any) -> String { SafeText.withoutCredentials("\(value)") }

    private static func value(_ value: Logger.MetadataValue) -> Record.Value {
        guard case .stringConvertible(let number) = value else { return .text(text(value)) }
        return switch number {
        case let number as Int: .count(number)
        case let number as Double: .milliseconds(number)
        default: .text("\(value)")
        }
    }
}

/// Logs each response on a line of its own.
struct RequestLog: ServiceObserver {
    let logger: Logger
    /// Whether lines contain client addresses.
    var namesClients = false

    func didRespond(_ record: ServiceRecord) {
        let level: Logger.Level = record.status >= 500 ? .warning : .info
        guard logger.logLevel <= level else { return }
        logger.log(level: level, "request", metadata: metadata(of: record))
    }

    func metadata(of record: ServiceRecord) -> Logger.Metadata {
        var metadata: Logger.Metadata = [
            "status": .stringConvertible(record.status), "bytes": .stringConvertible(record.byteCount),
            "ms": .stringConvertible((record.duration.milliseconds * 1000).rounded() / 1000),
        ]
        if let method = record.method { metadata["method"] = .string(SafeText.shortened(method)) }
        if let path = record.path { metadata["path"] = .string(path) }
        if let id = record.requestID { metadata["id"] = .string(id) }
        if let cache = record.cache { metadata["cache"] = .string(cache.rawValue) }
        if let source = record.source { metadata["source"] = .string(source) }
        if namesClients, let client = record.client { metadata["client"] = .string(client) }
        if let code = record.errorCode { metadata["error"] = .string(code) }
        if let step = record.errorStep { metadata["step"] = .string(step) }
        if let setting = SettingNameTranslator.setting(for: record) {
            metadata["setting"] = .string(setting.name)
        }
        if let detail = record.errorDetail {
            metadata["detail"] = .string(SafeText.shortened(detail, to: 500))
        }
        return metadata
    }
}
