import CalotypeCore
import TestSupport
import Testing

@testable import CalotypeLoading

@Suite(.gated) struct StaleAllowanceTests {
    private let allowance = StaleAllowance(whileRevalidating: .seconds(10), ifError: .seconds(100))

    private func freshness(_ cacheControl: String, age: Int = 0, at seconds: Int) throws -> Freshness {
        var response = FetchResponse.sample()
        response.headers = [HeaderField("Cache-Control", cacheControl), HeaderField("Age", "\(age)")]
        let record = try #require(
            ResponseRecord(request: .sample(), response: response, receivedAt: noon)
        )
        return record.freshness(for: .sample(), at: noon + .seconds(seconds), allowing: allowance)
    }

    @Test func `without directives of the origin the allowance applies, each part until its end`() throws {
        #expect(try freshness("max-age=60", at: 59) == .usable)
        #expect(try freshness("max-age=60", at: 70) == .usableWhileRevalidating)
        let end = noon + .seconds(160)
        #expect(try freshness("max-age=60", at: 71) == .needsRevalidation(usableOnErrorUntil: end))
        #expect(try freshness("max-age=60", at: 160) == .needsRevalidation(usableOnErrorUntil: end))
        #expect(try freshness("max-age=60", at: 161) == .needsRevalidation(usableOnErrorUntil: nil))
    }

    @Test func `the allowance of a response that came stale counts from its receipt`() throws {
        #expect(try freshness("max-age=60", age: 5_000, at: 10) == .usableWhileRevalidating)
        let later = try freshness("max-age=60", age: 5_000, at: 11)
        #expect(later == .needsRevalidation(usableOnErrorUntil: noon + .seconds(100)))
        let own = "max-age=60, stale-while-revalidate=9, stale-if-error=9"
        #expect(try freshness(own, age: 5_000, at: 0) == .needsRevalidation(usableOnErrorUntil: nil))
    }

    @Test func `directives of the origin take precedence`() throws {
        let never = Freshness.needsRevalidation(usableOnErrorUntil: nil)
        #expect(try freshness("max-age=60, must-revalidate", at: 61) == never)
        #expect(try freshness("max-age=60, no-cache", at: 1) == never)
        let own = "max-age=60, stale-while-revalidate=0, stale-if-error=5"
        #expect(try freshness(own, at: 61) == .needsRevalidation(usableOnErrorUntil: noon + .seconds(65)))
        #expect(try freshness(own, at: 66) == never)
    }

    private func bounded(_ cacheControl: String, age: Int = 0, at seconds: Int) throws -> Freshness {
        var response = FetchResponse.sample()
        response.headers = [HeaderField("Cache-Control", cacheControl), HeaderField("Age", "\(age)")]
        let record = try #require(
            ResponseRecord(request: .sample(), response: response, receivedAt: noon)
        )
        let allowance = StaleAllowance(minLifetime: .seconds(100), maxLifetime: .seconds(1_000))
        let now = noon + .seconds(seconds)
        let freshness = record.freshness(for: .sample(), at: now, allowing: allowance)
        let isUsable = record.usableByAll(allowing: allowance)?.contains(now) ?? false
        #expect(isUsable == (freshness == .usable))
        return freshness
    }

    @Test(arguments: ["public", "max-age=0", "s-maxage=9", "max-age=50, must-revalidate", "immutable"])
    func `a lifetime is at least the minimum`(cacheControl: String) throws {
        #expect(try bounded(cacheControl, at: 99) == .usable)
        #expect(try bounded(cacheControl, age: 5_000, at: 99) == .usable)
        #expect(try bounded(cacheControl, at: 100) == .needsRevalidation(usableOnErrorUntil: nil))
    }

    @Test(arguments: ["max-age=5000", "max-age=31536000, immutable"])
    func `a lifetime is at most the maximum`(cacheControl: String) throws {
        #expect(try bounded(cacheControl, at: 999) == .usable)
        #expect(try bounded(cacheControl, at: 1_000) == .needsRevalidation(usableOnErrorUntil: nil))
    }

    @Test func `no-cache takes precedence over the bounds`() throws {
        #expect(try bounded("no-cache", at: 0) == .needsRevalidation(usableOnErrorUntil: nil))
        #expect(try bounded("no-cache, max-age=500", at: 1) == .needsRevalidation(usableOnErrorUntil: nil))
    }
}
