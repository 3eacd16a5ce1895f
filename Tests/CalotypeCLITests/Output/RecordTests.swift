import CalotypeCore
import Foundation
import TestSupport
import Testing

@testable import CalotypeCLI

@Suite(.gated) struct RecordTests {
    @Test func `a record is one JSON object with its fields in order`() {
        let record = Record([
            ("url", .text("a")), ("bytes", .bytes(1_234_567)), ("exists", .flag(true)), ("width", nil),
            ("elapsedMs", .milliseconds(1.23456)), ("frames", .count(1)),
        ])
        #expect(
            record.json
                == #"{"url":"a","bytes":1234567,"exists":true,"width":null,"elapsedMs":1.235,"frames":1}"#
        )
    }

    @Test func `the error field is present only for an error`() {
        let record = Record([("url", .text("a"))])
        #expect(record.withError(nil).json == #"{"url":"a"}"#)
        #expect(record.withError("code: text").json == #"{"url":"a","error":"code: text"}"#)
    }

    @Test(arguments: ["plain", "a\"b\\c", "line\nbreak\r\ttab", "\u{0}\u{1F}\u{7F}", "ü 写真 🖼", "\u{2028}"])
    func `any text round-trips through JSON`(text: String) throws {
        let json = Record([("text", .text(text))]).json
        #expect(!json.contains("\n"))
        let object = try JSONSerialization.jsonObject(with: Data(json.utf8))
        #expect((object as? [String: String])?["text"] == text)
    }

    @Test func `a date is ISO 8601 in UTC`() {
        let date = Timestamp(nanosecondsSince1970: 1_770_091_506_789_999_999)
        #expect(Record([("at", .date(date))]).json == #"{"at":"2026-02-03T04:05:06.789Z"}"#)
    }

    @Test(arguments: [
        (0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (1234, "1.2 kB"), (99_949, "99.9 kB"),
        (99_950, "100 kB"),
        (999_499, "999 kB"), (999_500, "1.0 MB"), (1_234_567, "1.2 MB"), (1 << 30, "1.1 GB"),
        (5_000_000_000_000, "5.0 TB"),
    ])
    func `bytes are readable in tables`(byteCount: Int, text: String) {
        #expect(Record.Value.readable(byteCount: byteCount) == text)
    }

    @Test func `a table aligns its columns, and shows a dash for unknown values`() {
        let table = Table(columns: [
            .init("NAME", "name", width: 6), .init("BYTES", "bytes", width: 8, alignsRight: true),
            .init("URL", "url", width: 0),
        ])
        #expect(table.header == "NAME       BYTES  URL")
        let record = Record([("url", .text("u")), ("bytes", .bytes(1500)), ("name", nil)])
        #expect(table.row(record) == "–         1.5 kB  u")
    }
}
