import CalotypeCore
import CalotypeLoading
import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing

@Suite(.gated)
struct `Records of answers` {
    // RFC 9111 §3, §5.2.1.5, §5.2.2.3, §5.2.2.5.
    @Test(arguments: [
        ("no-store", "", 200, false), ("no-store, max-age=60", "", 200, false), ("", "no-store", 200, false),
        ("no-store, must-understand", "", 200, true), ("no-store, must-understand", "", 299, false),
        ("private", "", 200, true), ("no-cache", "", 200, true), ("", "no-cache", 200, true),
        ("", "", 200, true), ("", "", 404, true), ("", "", 201, false), ("max-age=1", "", 201, true),
        ("public", "", 202, true), ("s-maxage=1", "", 202, false), ("max-age=1", "", 206, false),
        ("max-age=1", "", 304, false), ("max-age=1", "", 100, false), ("max-age=1", "", 100_000, false),
    ])
    func `a response that must not be stored has no record`(
        told: String,
        asked: String,
        status: Int,
        isStored: Bool
    ) {
        let request = FetchRequest.sample(["Cache-Control": asked])
        #expect((record(["Cache-Control": told], status: status, to: request) != nil) == isStored)
    }

    @Test func `a response to a request with credentials is stored`() {
        #expect(record(to: .sample(["Authorization": "Basic YTpi"])) != nil)
    }

    @Test func `a record round-trips through its coded form`() throws {
        let all: KeyValuePairs = [
            "Cache-Control": "max-age=60", "cache-control": "immutable", "Expires": "0", "Age": "5",
            "Date": "Sun, 06 Nov 1994 08:49:37 GMT", "ETag": "W/\"é\"", "Vary": "Accept, X",
            "Last-Modified": "Sun, 06 Nov 1994 08:48:37 GMT", "Content-Type": "image/png", "Server": "x",
        ]
        let record = try #require(
            ResponseRecord(
                request: .sample(["Accept": "a"]),
                response: .sample(all, status: 203),
                sentAt: noon - .milliseconds(7),
                receivedAt: noon
            )
        )
        let read = try #require(ResponseRecord(encoded: record.encoded()))
        #expect(read == record)
        #expect(read.status == 203)
        #expect(read.sentAt == noon - .milliseconds(7))
        #expect(read.receivedAt == noon)
        #expect(read.entityTag == "W/\"é\"")
        #expect(read.contentType == "image/png")
        #expect(read.lastModified == noon - .seconds(60))
        #expect(read.freshUntil == noon + .seconds(55) - .milliseconds(7))
    }

    @Test func `a response received before its request counts as sent when received`() throws {
        let record = ResponseRecord(
            request: .sample(),
            response: .sample(),
            sentAt: noon + .seconds(1),
            receivedAt: noon
        )
        #expect(try #require(record).sentAt == noon)
    }

    @Test func `the coded form is pinned to format version 1`() throws {
        let headers: KeyValuePairs = ["ETag": "\"a\"", "Cache-Control": "no-cache", "Vary": "B, a"]
        let data = try #require(record(headers)).encoded()
        let digest = data.dropFirst(24).prefix(32)
        let time = withUnsafeBytes(of: noon.nanosecondsSince1970.littleEndian) { Data($0) }
        let expected =
            Data([1, 200, 0]) + time + time + Data([3, 0]) + Data("a,b".utf8) + digest
            + Data([1, 8, 0]) + Data("no-cache".utf8) + Data([5, 3, 0]) + Data("\"a\"".utf8)
            + Data([9, 32, 0]) + Data(FetchRequest.sample().url.sourceDigest.utf8)
        #expect(data == expected)
    }

    @Test func `no response makes a record longer than its limit`() throws {
        for byteCount in [31, 32, 33, 64, 65, 256, 1_023, 1_024, 1_025, 70_000] {
            let long = String(repeating: "9", count: byteCount)
            let kept = try #require(
                record([
                    "Cache-Control": long, "Expires": long, "Age": long, "Date": long, "ETag": long,
                    "Vary": long,
                    "Last-Modified": long, "Content-Type": long,
                ])
            )
            #expect(kept.encoded().count <= ResponseRecord.maxEncodedByteCount)
            #expect(ResponseRecord(encoded: kept.encoded()) == kept)
        }
    }

    @Test func `fields too long to store make the response stale, never fresher`() throws {
        let long = String(repeating: " ", count: 2_000) + ","
        let revalidate = Freshness.needsRevalidation(usableOnErrorUntil: nil)
        for headers: KeyValuePairs in [
            ["Cache-Control": "max-age=60, x" + long + "y"],
            ["Expires": "Sun, 06 Nov 1994 08:50:37 GMT" + long],
            ["Cache-Control": "max-age=60", "Age": String(repeating: "9", count: 40)],
            ["Cache-Control": "max-age=60, x\u{7}"],
        ] {
            let kept = try #require(record(headers))
            #expect(kept.freshness(for: .sample(), at: noon) == revalidate, "\(headers.map(\.key))")
        }
        #expect(record(["ETag": "\"" + String(repeating: "a", count: 1_024) + "\""])?.entityTag == nil)
    }

    @Test func `no-store applies in a field of any length`() {
        #expect(record(["Cache-Control": String(repeating: "a,", count: 9_000) + "no-store"]) == nil)
    }
}

@Suite(.blocking)
struct `Hostile records` {
    private func sample() throws -> Data {
        try #require(
            record([
                "Cache-Control": "max-age=60", "ETag": "\"a\"", "Vary": "Accept", "Date": "x",
                "Content-Type": "image/png",
            ])
        ).encoded()
    }

    /// A decoded record must encode to the same bytes.
    private func check(_ data: Data, _ note: String) {
        guard let record = ResponseRecord(encoded: data) else { return }
        #expect(record.encoded() == data, "\(note)")
        _ = record.freshness(for: .sample(), at: noon)
        _ = record.conditionalHeaders
    }

    @Test func `a truncated record is nil, or a shorter one`() throws {
        let data = try sample()
        for count in 0..<data.count { check(data.prefix(count), "\(count) bytes") }
        for count in 0..<59 { #expect(ResponseRecord(encoded: data.prefix(count)) == nil) }
        #expect(ResponseRecord(encoded: data + [9]) == nil)
    }

    @Test func `no changed byte crashes, and a decoded record round-trips`() throws {
        let data = try sample()
        for index in data.indices {
            for value: UInt8 in [0, 1, 7, 10, 32, 42, 65, 127, 128, 255] {
                var changed = data
                changed[index] = value
                check(changed, "byte \(index) is \(value)")
            }
        }
    }

    @Test func `random bytes do not decode to a record`() throws {
        var random = SeededGenerator(seed: 11)
        let data = try sample()
        for round in 0..<20_000 {
            var changed = data.prefix(Int.random(in: 0...data.count, using: &random))
            for _ in 0..<Int.random(in: 0...8, using: &random) where !changed.isEmpty {
                let index = Int.random(in: 0..<changed.count, using: &random)
                changed[index] = UInt8.random(in: 0...255, using: &random)
            }
            check(changed, "round \(round)")
        }
    }

    @Test func `another version and an oversized record decode to nil`() throws {
        var data = try sample()
        data[0] = 2
        #expect(ResponseRecord(encoded: data) == nil)
        #expect(ResponseRecord(encoded: Data(repeating: 1, count: 4_097)) == nil)
    }

    @Test func `fields of any kind give a record that round-trips`() throws {
        var random = SeededGenerator(seed: 5)
        let names = [
            "Cache-Control", "Expires", "Date", "Age", "ETag", "Last-Modified", "Vary", "Content-Type",
        ]
        let parts = [
            "max-age=60", ",", "\"", "*", "a", " ", "\t", "\u{0}", "é", "Sun, 06 Nov 1994 08:49:37 GMT", "9",
        ]
        for round in 0..<5_000 {
            var response = FetchResponse.sample()
            response.headers = (0..<Int.random(in: 0...9, using: &random)).map { _ in
                let value = (0..<Int.random(in: 0...60, using: &random)).map { _ in
                    parts[Int.random(in: 0..<parts.count, using: &random)]
                }
                return HeaderField(names[Int.random(in: 0..<names.count, using: &random)], value.joined())
            }
            let made = ResponseRecord(request: .sample(), response: response, receivedAt: noon)
            guard let made else { continue }
            #expect(ResponseRecord(encoded: made.encoded()) == made, "round \(round)")
            response.status = 304
            let renewed = made.renewed(by: response, to: .sample(), receivedAt: noon)
            #expect(renewed == made, "round \(round)")
        }
    }
}
