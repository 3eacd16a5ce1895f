import CalotypeCore
import Testing

@testable import CalotypeLoading

@Suite struct StaleAllowanceTests {
    private let allowance = StaleAllowance(whileRevalidating: .seconds(10), ifError: .seconds(100))

    private func freshness(_ cacheControl: String, at seconds: Int) throws -> Freshness {
        var response = FetchResponse.sample()
        response.headers = [HeaderField("Cache-Control", cacheControl)]
        let record = try #require(
            ResponseRecord(request: .sample(), response: response, receivedAt: noon)
        )
        return record.freshness(for: .sample(), at: noon + .seconds(seconds), allowing: allowance)
    }

    @Test func `where the origin says nothing, the allowance holds, each part to its end`() throws {
        #expect(try freshness("max-age=60", at: 59) == .usable)
        #expect(try freshness("max-age=60", at: 70) == .usableWhileRevalidating)
        let end = noon + .seconds(160)
        #expect(try freshness("max-age=60", at: 71) == .needsRevalidation(usableOnErrorUntil: end))
        #expect(try freshness("max-age=60", at: 160) == .needsRevalidation(usableOnErrorUntil: end))
        #expect(try freshness("max-age=60", at: 161) == .needsRevalidation(usableOnErrorUntil: nil))
    }

    @Test func `what the origin says counts for more`() throws {
        let never = Freshness.needsRevalidation(usableOnErrorUntil: nil)
        #expect(try freshness("max-age=60, must-revalidate", at: 61) == never)
        #expect(try freshness("max-age=60, no-cache", at: 1) == never)
        let own = "max-age=60, stale-while-revalidate=0, stale-if-error=5"
        #expect(try freshness(own, at: 61) == .needsRevalidation(usableOnErrorUntil: noon + .seconds(65)))
        #expect(try freshness(own, at: 66) == never)
    }
}
