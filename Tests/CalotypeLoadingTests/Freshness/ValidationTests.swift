import CalotypeCore
import CalotypeLoading
import FoundationEssentials
import TestSupport
import Testing

@Suite(.gated)
struct `Validation` {
    private let earlier = "Sun, 06 Nov 1994 08:48:37 GMT"

    private func renewed(
        _ headers: KeyValuePairs<String, String>,
        by answer: KeyValuePairs<String, String>,
        status: Int = 304
    ) throws -> ResponseRecord? {
        try #require(record(headers)).renewed(
            by: .sample(answer, status: status),
            to: .sample(),
            receivedAt: noon + .seconds(100)
        )
    }

    @Test(arguments: [
        ("ETag", "\"1\"", true), ("ETag", "W/\"1\"", false), ("ETag", "1", false), ("X", "", false),
        ("Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT", false),
    ])
    func `only a strong entity tag implies equal bytes`(name: String, value: String, isSame: Bool) throws {
        let made = try #require(record([name: value]))
        let later = try #require(
            ResponseRecord(
                request: .sample(),
                response: .sample([name: value]),
                receivedAt: noon + .seconds(9)
            )
        )
        #expect(later.hasSameBytes(as: made) == isSame)
        #expect(!later.hasSameBytes(as: record(["ETag": "\"2\""])))
    }

    @Test func `the validators are sent as received`() throws {
        let headers: KeyValuePairs = ["ETag": "W/\"a\"", "Last-Modified": earlier]
        #expect(
            try #require(record(headers)).conditionalHeaders == [
                HeaderField("If-None-Match", "W/\"a\""), HeaderField("If-Modified-Since", earlier),
            ]
        )
        #expect(try #require(record(["Last-Modified": "x", "ETag": ""])).conditionalHeaders == [])
    }

    @Test func `a confirmed response is fresh again, by the fields of the confirmation`() throws {
        let kept: KeyValuePairs = [
            "ETag": "\"a\"", "Cache-Control": "max-age=60", "Content-Type": "image/png",
        ]
        let same = try #require(try renewed(kept, by: ["ETag": "\"a\""]))
        #expect(same.freshUntil == noon + .seconds(160))
        #expect(same.contentType == "image/png")
        #expect(same.status == 200)
        let longer = try #require(
            try renewed(kept, by: ["Cache-Control": "max-age=600", "Content-Type": "x/y"])
        )
        #expect(longer.freshUntil == noon + .seconds(700))
        #expect(longer.contentType == "image/png")
        #expect(longer.entityTag == "\"a\"")
    }

    @Test func `date and age of the earlier response are replaced`() throws {
        let kept: KeyValuePairs = ["Cache-Control": "max-age=60", "Date": earlier, "Age": "50"]
        #expect(try #require(try renewed(kept, by: [:])).freshUntil == noon + .seconds(160))
        #expect(try #require(try renewed(kept, by: ["Age": "10"])).freshUntil == noon + .seconds(150))
    }

    @Test(arguments: [
        ("\"a\"", "\"a\"", true), ("W/\"a\"", "\"a\"", true), ("\"a\"", "W/\"a\"", true),
        ("\"a\"", "\"b\"", false),
        ("\"a\"", "\"A\"", false),
    ])
    func `a 304 for other content does not renew`(kept: String, told: String, isRenewed: Bool) throws {
        #expect((try renewed(["ETag": kept], by: ["ETag": told]) != nil) == isRenewed)
    }

    @Test func `without entity tags the dates must match`() throws {
        let other = "Sun, 06 Nov 1994 08:47:37 GMT"
        #expect(try renewed(["Last-Modified": earlier], by: ["Last-Modified": earlier]) != nil)
        #expect(try renewed(["Last-Modified": earlier], by: ["Last-Modified": other]) == nil)
        let kept: KeyValuePairs = ["Last-Modified": earlier, "ETag": "\"a\""]
        #expect(try renewed(kept, by: ["Last-Modified": other, "ETag": "\"a\""]) != nil)
    }

    @Test func `only a 304 renews a record`() throws {
        #expect(try renewed(["ETag": "\"a\""], by: ["ETag": "\"a\""], status: 200) == nil)
    }

    @Test func `a confirmation may change the Vary fields`() throws {
        let renewed = try #require(try renewed(["Cache-Control": "max-age=60"], by: ["Vary": "Accept"]))
        let time = noon + .seconds(101)
        #expect(renewed.freshness(for: .sample(), at: time) == .usable)
        #expect(renewed.freshness(for: .sample(["Accept": "a"]), at: time) == .unusable)
    }

    @Test func `a confirmation with no-store leaves a record that is always revalidated`() throws {
        let renewed = try #require(
            try renewed(["ETag": "\"a\""], by: ["Cache-Control": "no-store, max-age=60"])
        )
        let freshness = renewed.freshness(for: .sample(), at: noon + .seconds(101))
        #expect(freshness == .needsRevalidation(usableOnErrorUntil: nil))
    }
}
