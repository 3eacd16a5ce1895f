import CalotypeCore
import CalotypeTesting
import TestSupport
import Testing

@testable import CalotypeLoading

@Suite(.blocking, .skipped(under: .thread, because: "computes on one thread"))
struct `Dates of HTTP` {
    private func seconds(_ text: String) -> Int64? {
        HTTPDate(text, near: noon)?.secondsSince1970
    }

    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
        "sun, 06 nov 1994 08:49:37 gmt", " SUNDAY, 06-NOV-94 08:49:37 GMT ", "Sun Nov 06 08:49:37 1994",
        "Mon, 06 Nov 1994 08:49:37 GMT",
    ])
    func `the three formats of RFC 9110 parse to one date, in any case`(text: String) {
        #expect(seconds(text) == 784_111_777)
    }

    // The values are those of GNU date.
    @Test(arguments: [
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Wed, 31 Dec 1969 23:59:59 GMT", -1),
        ("Tue, 29 Feb 2000 00:00:00 GMT", 951_782_400), ("Thu, 29 Feb 2024 12:00:00 GMT", 1_709_208_000),
        ("Mon, 01 Mar 2100 00:00:00 GMT", 4_107_542_400), ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800),
        ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
        ("Mon, 01 Jan 0001 00:00:00 GMT", -62_135_596_800),
    ])
    func `leap years and far dates are computed correctly`(text: String, expected: Int64) {
        #expect(seconds(text) == expected)
    }

    @Test(arguments: [
        "", "0", "-1", "now", "Sun", "Sun,", "Sun, 06", "Sun, 06 Nov 1994", "Sun, 06 Nov 1994 08:49:37",
        "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 06 Nov 1994 08:49:37 +0000", "Sun, 06 Nov 1994 08:49:37 GMT+1",
        "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 06 Nov 1994 08:49:61 GMT",
        "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 31 Nov 1994 08:49:37 GMT", "Sun, 29 Feb 1900 08:49:37 GMT",
        "Sun, 29 Feb 2023 08:49:37 GMT", "Sun, 06 Nix 1994 08:49:37 GMT", "Son, 06 Nov 1994 08:49:37 GMT",
        "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 94 08:49:37 GMT", "Sun, 06 Nov 0000 08:49:37 GMT",
        "Sun, 06 Nov -994 08:49:37 GMT", "Sun, 06 Nov 1994 8:49:37 GMT", "Sun,06 Nov 1994 08:49:37 GMT",
        "Sun Nov 6 08:49:37 1994", "Sun Nov  6 08:49:37 1994 GMT", "1994-11-06T08:49:37Z", "784111777",
        "Sun, ٠٦ Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT\u{0}", "\u{0}",
        "Sun, 06 Nov 1994 08:49:37 GMT, Sun, 06 Nov 1994 08:49:37 GMT",
    ])
    func `parsing an invalid HTTP date returns nil`(text: String) {
        #expect(seconds(text) == nil)
    }

    @Test func `a year of two digits is never more than 50 years ahead`() {
        for (text, year) in [("44", 2044), ("45", 1945), ("94", 1994), ("00", 2000)] {
            let full = seconds("Sun, 06 Nov \(year) 08:49:37 GMT")
            #expect(seconds("Sunday, 06-Nov-\(text) 08:49:37 GMT") == full, "\(year)")
        }
        let later = Timestamp(nanosecondsSince1970: 1_800_000_000_000_000_000)
        let date = HTTPDate("Sunday, 06-Nov-40 08:49:37 GMT", near: later)
        #expect(date == HTTPDate("Tue, 06 Nov 2040 08:49:37 GMT", near: later))
    }

    @Test func `dates out of range become the limits of a timestamp`() {
        #expect(HTTPDate("Fri, 31 Dec 9999 23:59:59 GMT", near: noon)?.timestamp.nanosecondsSince1970 == .max)
        #expect(HTTPDate("Mon, 01 Jan 0001 00:00:00 GMT", near: noon)?.timestamp.nanosecondsSince1970 == .min)
    }

    @Test func `no text crashes, near any time`() {
        var random = SeededGenerator(seed: 7)
        let parts = [
            "Sun", "Sunday", ",", " ", "06", "-", "Nov", "1994", "94", "08:49:37", ":", "GMT", "9", "\u{0}",
            "é",
        ]
        for _ in 0..<20_000 {
            let text = (0..<Int.random(in: 0...14, using: &random)).map { _ in
                parts[Int.random(in: 0..<parts.count, using: &random)]
            }
            let reference = Timestamp(nanosecondsSince1970: .random(in: .min ... .max, using: &random))
            _ = HTTPDate(text.joined(), near: reference)
        }
        #expect(HTTPDate(String(repeating: "Sun, ", count: 100_000), near: noon) == nil)
    }
}

@Suite(.gated) struct HTTPDateTextTests {
    @Test(arguments: [
        (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
        (-1, "Wed, 31 Dec 1969 23:59:59 GMT"), (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
        (4_107_542_399, "Sun, 28 Feb 2100 23:59:59 GMT"), (9_223_372_036, "Fri, 11 Apr 2262 23:47:16 GMT"),
    ])
    func `a timestamp is formatted as an HTTP date, and parsed back`(seconds: Int, text: String) throws {
        let time = Timestamp(nanosecondsSince1970: 0) + .seconds(seconds)
        #expect(HTTPDate(time).text == text)
        #expect(HTTPDate(text, near: time)?.secondsSince1970 == Int64(seconds))
    }
}
