import Calotype
import CalotypeCache
import CalotypeTesting
import Foundation
import TestSupport
import Testing

@testable import CalotypeCLI

@Suite(.gated) struct ProgressTests {
    @Test func `the line shows the completed share`() {
        var line = ProgressLine(totalCount: 4)
        line.doneCount = 1
        line.receivedByteCount = 1_500_000
        #expect(line.text(width: 26) == "██░░░░░░░░░ 1/4  1.5 MB")
    }

    @Test func `the line shows the byte rate if it fits`() {
        var line = ProgressLine(totalCount: 4)
        line.receivedByteCount = 1_500_000
        line.byteRate = 2_345_678
        #expect(line.text(width: 36) == "░░░░░░░░░░░ 0/4  1.5 MB  2.3 MB/s")
        #expect(line.text(width: 26) == "░░░░░░░░░░░ 0/4  1.5 MB")
    }

    @Test func `the bar measures the rate`() async throws {
        let screen = try FakeScreen(isJSON: false, progressWidth: 60)
        let clock = SharedState(ContinuousClock.now)
        let bar = ProgressBar(screen.console, totalCount: 2, now: { clock.value })
        clock.withLock { $0 += .seconds(1) }
        bar.update { $0.receivedByteCount = 2_000_000 }
        bar.finish()
        try await screen.console.report(error: "end")
        #expect(try screen.errorText().contains("0/2  2.0 MB  2.0 MB/s"))
    }

    @Test func `the bar of loads appears before the first byte arrives`() async throws {
        let screen = try FakeScreen(isJSON: false, progressWidth: 40)
        let observer = LoadObserver(ProgressBar(screen.console, totalCount: 3))
        observer.end()
        try await screen.console.report(error: "end")
        #expect(try screen.errorText().contains("░ 0/3"))
    }

    @Test func `a single task advances with its bytes`() {
        var line = ProgressLine(totalCount: 1)
        #expect(line.fraction == 0)
        line.runningShare = 0.75
        #expect(line.fraction == 0.75)
        (line.doneCount, line.runningShare) = (1, 0)
        #expect(line.fraction == 1)
    }

    @Test func `the bar advances with received bytes before the first load completes`() async throws {
        let screen = try FakeScreen(isJSON: false, progressWidth: 60)
        let clock = SharedState(ContinuousClock.now)
        let bar = ProgressBar(screen.console, totalCount: 2, now: { clock.value })
        let observer = LoadObserver(bar)
        clock.withLock { $0 += .seconds(10) }
        let request: ImageRequest = "https://example.org/a.png"
        observer.didReceive(500, expected: 1000, of: request)
        observer.end()
        try await screen.console.report(error: "end")
        let text = try screen.errorText()
        #expect(text.contains("█") && text.contains("0/2"))
        #expect(text.contains("  0:31 left"))
    }

    @Test(
        arguments: [
            (0.5, 10, "0:11"), (0.1, 100, "15:01"), (0.02, 200, "2:43:21"), (0.01, 100, nil), (0.5, 0, nil),
        ] as [(Double, Int, String?)]
    )
    func `the remaining time is shown once it can be estimated`(share: Double, seconds: Int, text: String?) {
        var line = ProgressLine(totalCount: 1)
        line.runningShare = share
        line.elapsed = .seconds(seconds)
        let words = line.text(width: 100)
        #expect(text.map { words.hasSuffix("  \($0) left") } ?? !words.contains("left"))
    }

    @Test(arguments: 0...120) func `the line never wraps`(width: Int) {
        var line = ProgressLine(totalCount: 12_345)
        line.doneCount = 12_344
        line.receivedByteCount = 123_456_789
        line.byteRate = 12_345_678
        #expect(line.text(width: width).count < max(1, width))
    }

    @Test func `the bar is drawn at most every 100 ms and removed at the end`() async throws {
        let screen = try FakeScreen(isJSON: false, progressWidth: 40)
        let clock = SharedState(ContinuousClock.now)
        let bar = ProgressBar(screen.console, totalCount: 2, now: { clock.value })
        bar.update { $0.doneCount = 1 }
        clock.withLock { $0 += .milliseconds(99) }
        bar.update { $0.doneCount = 2 }
        bar.finish()
        // The line that follows is written after everything before it.
        try await screen.console.report(error: "end")
        let text = try screen.errorText()
        #expect(text.components(separatedBy: "1/2").count == 2)
        #expect(!text.contains("2/2"))
        #expect(text.hasSuffix("\r\u{1B}[Kerror: end\n"))
    }

    @Test func `work on a cache shows how many entries are done`() async throws {
        let screen = try FakeScreen(isJSON: false, progressWidth: 40)
        let bar = ProgressBar(screen.console, totalCount: 0)
        bar.show(DiskProgress(finishedCount: 250, totalCount: 1000))
        bar.finish()
        try await screen.console.report(error: "end")
        #expect(try screen.errorText().contains("░ 250/1000"))
    }

    @Test func `a progress line is cleared before a result is printed`() async throws {
        let screen = try FakeScreen(isJSON: false, progressWidth: 40)
        screen.console.showProgress("half")
        try await screen.console.say("result")
        #expect(try screen.errorText() == "half\r\u{1B}[K")
        #expect(try screen.outputText() == "result\n")
    }

    @Test func `JSON output, or output without a terminal, has no progress`() throws {
        #expect(try FakeScreen(isJSON: true, progressWidth: 40).console.progressWidth == nil)
        #expect(try FakeScreen(isJSON: false, progressWidth: nil).console.progressWidth == nil)
    }
}

@Suite(.gated) struct ConsoleTests {
    private let table = Table(columns: [.init("A", "a", width: 1)])

    @Test func `a table prints its header once, and only before a row`() async throws {
        let screen = try FakeScreen(isJSON: false, progressWidth: nil)
        try await screen.console.write(Record([("a", .count(1))]), as: table)
        try await screen.console.write(Record([("a", .count(2))]), as: table)
        #expect(try screen.outputText() == "A\n1\n2\n")
    }

    @Test func `in JSON mode standard output has only JSON`() async throws {
        let screen = try FakeScreen(isJSON: true, progressWidth: nil)
        try await screen.console.say("words")
        try await screen.console.report(error: "bad")
        try await screen.console.write(Record([("a", .count(1))]), as: table)
        #expect(try screen.outputText() == "{\"a\":1}\n")
        #expect(try screen.errorText() == "error: bad\n")
    }

    @Test func `the conclusion is printed only at a terminal and not in JSON mode`() async throws {
        for (isJSON, width) in [(false, 40), (false, nil), (true, 40)] {
            let screen = try FakeScreen(isJSON: isJSON, progressWidth: width)
            try await screen.console.conclude("done")
            #expect(try screen.errorText() == (!isJSON && width != nil ? "done\n" : ""))
            #expect(try screen.outputText() == "")
        }
    }

    @Test func `a failing output stream is an error`() async throws {
        let closed = TextStream(descriptor: -1, name: "standard output")
        let console = Console(isJSON: true, output: closed, errors: closed)
        await #expect(throws: CommandError.self) {
            try await console.write(Record([("a", .count(1))]), as: table)
        }
    }
}
