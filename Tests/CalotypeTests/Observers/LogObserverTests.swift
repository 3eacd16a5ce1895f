import CalotypeTesting
import FoundationEssentials
import Logging
import TestSupport
import Testing

@testable import Calotype

private struct RecordingHandler: LogHandler {
    struct Line: Sendable {
        let level: Logger.Level
        let text: String
        let metadata: Logger.Metadata
    }

    let lines: SharedState<[Line]>
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level = .trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let line = Line(level: event.level, text: "\(event.message)", metadata: event.metadata ?? [:])
        lines.withLock { $0.append(line) }
    }
}

@Suite(.gated) struct LogObserverTests {
    private let lines = SharedState<[RecordingHandler.Line]>([])
    private let clock = ManualClock()
    private let error = LoadError(stage: .load, underlying: FetchError(.timedOut, detail: "a.org"))

    private func observer(level: Logger.Level = .trace, maxLinesPerSecond: Int = 10) -> LogObserver {
        let lines = lines
        var logger = Logger(label: "images") { _ in RecordingHandler(lines: lines) }
        logger.logLevel = level
        return LogObserver(logger, maxLinesPerSecond: maxLinesPerSecond, clock: clock)
    }

    @Test func `a failed upload is logged with its size and format`() async throws {
        var configuration = ImagePipeline.Configuration(cache: ImageCache(), loader: DataURLLoader())
        configuration.observers = [observer()]
        let pipeline = ImagePipeline(configuration)
        let picture = TestImages.photograph(PixelSize(width: 20, height: 10))
        let data = try PNGEncoder().encode(picture).prefix(60)
        let error = await #expect(throws: LoadError.self) { try await pipeline.image(from: data) }
        let line = try #require(lines.value.last { $0.level == .warning })
        #expect(line.metadata["upload"] == "60 bytes of png" && line.metadata["url"] == nil)
        #expect(error?.description.hasSuffix("(decode of 60 bytes of png)") == true)
        _ = await #expect(throws: LoadError.self) {
            try await pipeline.encode(picture, as: .jpeg(quality: 900))
        }
        #expect(lines.value.last { $0.level == .warning }?.metadata["upload"] == "an image of 20×10")
    }

    @Test func `a failed call is logged as a warning with its URL, stage and error`() throws {
        observer().didFinish("https://a.org/1", outcome: .failure(error), elapsed: .seconds(15))
        let line = try #require(lines.value.first)
        #expect(line.level == .warning)
        #expect(line.metadata["url"] == "https://a.org/1")
        #expect(line.metadata["stage"] == "load")
        #expect(line.metadata["code"] == "timedOut")
        #expect(line.metadata["error"] == "timedOut: a.org")
        #expect(line.metadata["milliseconds"] == "15000")
    }

    @Test func `finished calls are logged at debug, stages at trace, store failures as warnings`() {
        let observer = observer()
        observer.didFinish("https://a.org/1", outcome: .success(.disk), elapsed: .zero)
        observer.didFinish("https://a.org/1", outcome: .cancelled, elapsed: .zero)
        observer.didFinish(.load, of: "https://a.org/1", outcome: StageOutcome(), elapsed: .zero)
        observer.didFailToStore("https://a.org/1", error: error)
        #expect(lines.value.map(\.level) == [.debug, .debug, .trace, .warning])
    }

    @Test func `lines below the logger's level do not count towards the rate limit`() {
        let observer = observer(level: .info, maxLinesPerSecond: 1)
        for _ in 0..<100 {
            observer.didFinish("https://a.org/1", outcome: .success(.disk), elapsed: .zero)
        }
        observer.didFinish("https://a.org/1", outcome: .failure(error), elapsed: .zero)
        #expect(lines.value.count == 1)
        #expect(lines.value.first?.metadata["suppressed"] == nil)
    }

    @Test func `the number of lines is limited and suppressed lines are counted`() {
        let observer = observer(maxLinesPerSecond: 2)
        for _ in 0..<1_000 {
            observer.didFinish("https://a.org/1", outcome: .failure(error), elapsed: .zero)
        }
        #expect(lines.value.count == 20)
        clock.advance(by: .seconds(1))
        for _ in 0..<1_000 {
            observer.didFinish("https://a.org/1", outcome: .failure(error), elapsed: .zero)
        }
        #expect(lines.value.count == 22)
        #expect(lines.value[20].metadata["suppressed"] == "980")
        #expect(lines.value[21].metadata["suppressed"] == nil)
    }

    @Test(arguments: [
        ("https://user:secret@a.org:8080/p/q?token=secret#secret", "https://a.org:8080/p/q"),
        ("data:image/png;base64,c2VjcmV0", "data:"),
        ("/tmp/a.png", "file:///tmp/a.png"),
    ])
    func `the URL of a line contains no credentials, query or data`(text: String, expected: String) throws {
        let request = try #require(ImageRequest(addressOrPath: text))
        #expect(request.url.redactedText == expected)
    }

    @Test func `a long URL is truncated`() throws {
        let url = try #require(URL(string: "https://a.org/" + String(repeating: "a", count: 1 << 20)))
        #expect(url.redactedText.count == 201)
    }
}

@Suite(.gated) struct LogRateLimitTests {
    @Test func `a clock that goes backwards adds no lines to the budget`() {
        var budget = LogRateLimit(linesPerSecond: 1, burst: 1)
        #expect(budget.takeLine(at: .seconds(10)) == 0)
        #expect(budget.takeLine(at: .seconds(5)) == nil)
        #expect(budget.takeLine(at: .seconds(10)) == nil)
        #expect(budget.takeLine(at: .seconds(11)) == 2)
    }

    @Test func `a long silence allows no more lines than one burst`() {
        var budget = LogRateLimit(linesPerSecond: 10, burst: 3)
        _ = budget.takeLine(at: .zero)
        let taken = (0..<10).filter { _ in budget.takeLine(at: .seconds(86_400)) != nil }
        #expect(taken.count == 3)
    }
}
