import CalotypeCore
import CalotypeLoading
import FoundationEssentials
import TestSupport
import Testing

@Suite(.gated)
struct `Answers that vary` {
    private func freshness(
        _ vary: KeyValuePairs<String, String>,
        from first: FetchRequest,
        for second: FetchRequest
    ) throws -> Freshness {
        var response = FetchResponse.sample(vary)
        response.headers.append(HeaderField("Cache-Control", "max-age=60"))
        let record = try #require(ResponseRecord(request: first, response: response, receivedAt: noon))
        let read = try #require(ResponseRecord(encoded: record.encoded()))
        #expect(read == record)
        return read.freshness(for: second, at: noon)
    }

    @Test func `only the fields named by Vary are compared`() throws {
        let first = FetchRequest.sample(["Accept": "image/webp", "X": "1"])
        let other = FetchRequest.sample(["X": "2", "accept": " image/webp "])
        #expect(try freshness(["Vary": "Accept"], from: first, for: other) == .usable)
        #expect(try freshness(["Vary": "accept, x"], from: first, for: other) == .unusable)
        #expect(try freshness(["Vary": "Accept", "vary": "X"], from: first, for: other) == .unusable)
    }

    @Test func `an absent field differs from an empty one`() throws {
        let empty = FetchRequest.sample(["Accept": ""])
        #expect(try freshness(["Vary": "Accept"], from: .sample(), for: .sample()) == .usable)
        #expect(try freshness(["Vary": "Accept"], from: .sample(), for: empty) == .unusable)
    }

    @Test func `fields with the same joined text differ`() throws {
        let first = FetchRequest.sample(["A": "1b", "B": "2"])
        let other = FetchRequest.sample(["A": "1", "B": "b2"])
        #expect(try freshness(["Vary": "A, B"], from: first, for: other) == .unusable)
    }

    @Test func `lines of one field are one list`() throws {
        let lines = FetchRequest.sample(["Accept": "a", "accept": "b"])
        let list = FetchRequest.sample(["Accept": "a, b"])
        #expect(try freshness(["Vary": "Accept"], from: lines, for: list) == .usable)
    }

    @Test(arguments: [
        "*", "Accept, *", " * ", "Accept, a b", "Ä", (0..<300).map { "x\($0)" }.joined(separator: ","),
    ])
    func `an unreadable Vary matches no other request`(vary: String) throws {
        #expect(try freshness(["Vary": vary], from: .sample(), for: .sample()) == .unusable)
    }

    @Test(arguments: ["", ",", " , ,"])
    func `an empty list matches every request`(vary: String) throws {
        #expect(try freshness(["Vary": vary], from: .sample(), for: .sample(["A": "b"])) == .usable)
    }

    @Test func `credentials are not stored in the record`() throws {
        let request = FetchRequest.sample(["Authorization": "Bearer secret", "Cookie": "secret"])
        let kept = try #require(record(["Vary": "Authorization, Cookie"], to: request))
        #expect(!String(decoding: kept.encoded(), as: UTF8.self).contains("secret"))
        let other = FetchRequest.sample(["Authorization": "Bearer other", "Cookie": "secret"])
        #expect(kept.freshness(for: other, at: noon) == .unusable)
    }

    @Test func `another variant is unavailable under only-if-cached`() throws {
        let wish = FetchRequest.sample(["Accept": "a", "Cache-Control": "only-if-cached"])
        #expect(try freshness(["Vary": "Accept"], from: .sample(), for: wish) == .unavailable)
    }
}
