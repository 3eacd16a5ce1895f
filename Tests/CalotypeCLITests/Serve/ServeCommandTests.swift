import ArgumentParser
import CalotypeCore
import CalotypeServer
import CalotypeTesting
import Foundation
import Logging
import TestSupport
import Testing

@testable import CalotypeCLI

@Suite(.gated) struct ServeCommandTests {
    @Test func `arguments that are not options of the command are settings, in order`() throws {
        let command = try ServeCommand.parse([
            "--listen", "127.0.0.1:1", "--print-config", "--allow-unsigned", "--config", "a.json",
            "--queue=7",
        ])
        #expect(command.settings == ["--listen", "127.0.0.1:1", "--allow-unsigned", "--queue=7"])
        #expect(command.printConfig && command.config == "a.json")
    }

    @Test func `the help lists every setting, without broken lines`() {
        let help = SettingsPage.help
        let words = help.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        for setting in ServeSetting.all {
            #expect(help.contains("\n  \(setting.flag)\n"), "\(setting.name)")
            let standard = setting.standard.isEmpty ? "none" : setting.standard
            let facts = "\(setting.summary) Values: \(setting.range). Default: \(standard)."
            #expect(words.contains("\(setting.flag) \(facts)"), "\(setting.name)")
        }
        #expect(help.split(separator: "\n").allSatisfy { $0.count <= 80 })
    }

    @Test func `the document of operation has the table of settings`() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let path = root.appending(path: "Docs/service/operation.md")
        let text = try String(contentsOf: path, encoding: .utf8)
        for row in SettingsPage.markdown.split(separator: "\n") {
            #expect(text.contains(row), "Docs/service/operation.md wants \(row)")
        }
        #expect(text.split(separator: "\n").count { $0.hasPrefix("| `") } >= ServeSetting.all.count)
    }

    @Test func `the document of operation lists the settings that SIGHUP reloads`() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let text = try String(contentsOf: root.appending(path: "Docs/service/operation.md"), encoding: .utf8)
        let part = try #require(text.split(separator: "\n## ").first { $0.hasPrefix("Changing settings") })
        let names = part.matches(of: /`([a-z0-9-]+)`/).map { String($0.output.1) }
        let others: Set = ["local-root", "allow-private-sources"]
        #expect(Set(names).subtracting(others) == Set(ServeSetting.reloadable.map(\.name)))
    }

    @Test func `a changed setting is either reloaded or reported as needing a restart`() throws {
        let before = try SettingsSource(["--quality=10", "--queue=1"], [:]).settings
        let after = try SettingsSource(["--quality=20", "--queue=2"], [:]).settings
        #expect(after.changes(since: before).map(\.name) == ["quality", "queue"])
        let merged = before.reloaded(from: after)
        #expect(merged.service.encodings.qualities[.jpeg] == 20 && merged.tiers.maxWaitingCount == 1)
        #expect(after.changes(since: merged).map(\.name) == ["queue"])
    }

    @Test(arguments: [[], ["--all", "--source", "http://a.test/"], ["--source", ""], ["--prefix", ""]])
    func `a purge has one subject`(arguments: [String]) {
        #expect(throws: (any Error).self) { try PurgeCommand.parse(arguments) }
    }
}

@Suite(.gated) struct LogLinesTests {
    /// The lines that a logger writes to a pipe.
    private func lines(isJSON: Bool, _ body: (Logger) -> Void) async throws -> [String] {
        let pipe = Pipe()
        let stream = TextStream(descriptor: pipe.fileHandleForWriting.fileDescriptor, name: "test")
        let lines = LogLines(stream)
        let logger = Logger(label: "test") { _ in
            LineLogHandler(lines: lines, isJSON: isJSON, timeSource: ManualTimeSource())
        }
        body(logger)
        await lines.flush()
        try pipe.fileHandleForWriting.close()
        return String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
            .split(separator: "\n").map(String.init)
    }

    @Test func `a log line stays one line for any content`() async throws {
        let hostile = "a\nb\u{1B}[31m\u{2028}c"
        let text = try await lines(isJSON: false) { $0.info("one", metadata: ["source": .string(hostile)]) }
        #expect(text.count == 1 && text[0].contains(" info one source=a\u{FFFD}b\u{FFFD}[31m\u{FFFD}c"))
        let json = try await lines(isJSON: true) { $0.info("one", metadata: ["source": .string(hostile)]) }
        let object = try JSONSerialization.jsonObject(with: Data(json.joined().utf8)) as? [String: Any]
        #expect(json.count == 1 && object?["source"] as? String == hostile)
    }

    @Test(arguments: [false, true])
    func `a log line has neither user nor password of a URL`(isJSON: Bool) async throws {
        let url = "“http://user:secret@h.test/a.jpg” names no picture"
        let text = try await lines(isJSON: isJSON) { $0.info("\(url)", metadata: ["detail": .string(url)]) }
        #expect(text.count == 1 && !text[0].contains("secret") && text[0].contains("h.test/a.jpg"))
    }

    @Test func `no value can be mistaken for another field`() async throws {
        let hostile = "“http://a.test/ status=200 id=x” \"\\"
        let text = try await lines(isJSON: false) { $0.info("one", metadata: ["detail": .string(hostile)]) }
        #expect(
            text.first?.hasSuffix(#" info one detail="“http://a.test/ status=200 id=x” \"\\""#) == true,
            "\(text)"
        )
    }

    @Test func `a response is logged as one line with the known fields`() async throws {
        let json = try await lines(isJSON: true) { logger in
            var record = ServiceRecord(requestID: "r-1", status: 502, duration: .microseconds(1_500))
            (record.cache, record.source, record.errorCode) = (.miss, "http://a.test/b", "badStatus")
            (record.method, record.target) = ("HEAD", "/unsafe/w:9/plain/http://a.test/b%3Fsecret")
            RequestLog(logger: logger).didRespond(record)
        }
        let object = try JSONSerialization.jsonObject(with: Data(json.joined().utf8)) as? [String: Any]
        #expect(object?["status"] as? Int == 502 && object?["ms"] as? Double == 1.5)
        #expect(object?["level"] as? String == "warning" && object?["id"] as? String == "r-1")
        let path = "/unsafe/w:9/plain/http://a.test/b"
        #expect(object?["method"] as? String == "HEAD" && object?["path"] as? String == path)
        #expect(object?["cache"] as? String == "miss" && object?["error"] as? String == "badStatus")
    }
}
