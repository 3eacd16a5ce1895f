import CalotypeServer
import Foundation
import Logging
import TestSupport
import Testing

@testable import CalotypeCLI

@Suite(.gated) struct SettingNameTranslatorTests {
    private func record(
        _ code: String,
        _ status: Int,
        step: String? = nil,
        detail: String = ""
    ) -> ServiceRecord {
        var record = ServiceRecord(status: status, duration: .zero)
        (record.errorCode, record.errorStep, record.errorDetail) = (code, step, detail)
        return record
    }

    @Test func `an error names the responsible setting`() {
        let rows: [(ServiceRecord, ServeSetting?)] = [
            (record("timedOut", 504, step: "fetch"), .sourceTimeout),
            (record("timedOut", 503, step: "decode"), .timeout), (record("timedOut", 422), .workTime),
            (record("overloaded", 503), .queue),
            (record("overloaded", 503, step: "fetch"), .sourceConnections),
            (record("bodyTooLarge", 422), .sourceBytes), (record("limitExceeded", 422), nil),
            (record("limitExceeded", 422, detail: "1200 frames, the limit is 1000"), .sourceFrames),
            (record("addressRefused", 403), .allowPrivateSources), (record("invalidSignature", 403), .key),
            (record("sourceNotAllowed", 403), .allowedSources), (record("corrupt", 422), nil),
        ]
        for (record, setting) in rows {
            #expect(SettingNameTranslator.setting(for: record) == setting, "\(record.errorCode ?? "")")
        }
    }

    @Test func `names of the library are replaced by those of settings`() {
        let late =
            "no result within 29.99 seconds, during fetch; ImageRequest.timeout sets how long a call waits"
        let text = SettingNameTranslator.text("timedOut: \(late)")
        #expect(text.hasSuffix("during fetch; timeout sets how long a client waits"))
        let memory = "memoryExceeded: the decode used more memory than "
        let worker = SettingNameTranslator.text(memory + "CodecWorkers.Configuration.maxMemoryByteCount")
        #expect(worker == memory + "worker-memory")
        let all = SettingNameTranslator.text(
            "CodecWorkers.Configuration.maxTotalMemoryByteCount; raise the limit"
        )
        #expect(all == "workers-memory; raise the limit")
    }

    @Test func `each name of the library in a text of an error has its setting`() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let symbols = SettingNameTranslator.settings.map(\.symbol)
        var count = 0
        for module in ["Calotype", "CalotypeCore", "CalotypeCodecs", "CalotypeLoading", "CalotypeSandbox"] {
            let folder = root.appending(path: "Sources/\(module)")
            let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
            for path in paths where path.hasSuffix(".swift") {
                let text = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
                for line in text.split(separator: "\n") where !line.contains("///") {
                    let line = line.replacing(/\\\([^)]*\)/, with: "")
                    let names = line.matches(of: /"[^"]*\b((?:[A-Z]\w+\.)+(?:max[A-Z]\w*|timeout))\b[^"]*"/)
                    for name in names.map({ String($0.output.1) }) {
                        count += 1
                        #expect(symbols.contains(name), "\(module)/\(path): \(name)")
                    }
                }
            }
        }
        #expect(count >= 8)
    }

    @Test func `the log line of an error has step, setting, and the client if enabled`() {
        var failed = record("timedOut", 504, step: "fetch", detail: "x")
        failed.client = "192.0.2.7"
        for (names, isNamed) in [(true, true), (false, false)] {
            let metadata = RequestLog(logger: Logger(label: "test"), namesClients: names).metadata(of: failed)
            #expect(metadata["step"] == "fetch" && metadata["setting"] == "source-timeout")
            #expect((metadata["client"] == "192.0.2.7") == isNamed)
        }
    }
}
