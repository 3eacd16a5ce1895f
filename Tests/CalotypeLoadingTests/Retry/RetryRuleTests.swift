import CalotypeLoading
import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing

@Suite(.gated)
struct `Rules of retry` {
    /// Retries a number of times for any error, and records the errors.
    private struct Stubborn: RetryRule {
        let maxCount: Int
        let errors = SharedState<[FetchError.Code]>([])

        func delay(afterRetries retryCount: Int, of request: FetchRequest, error: FetchError) -> Duration? {
            errors.withLock { $0.append(error.code) }
            return retryCount < maxCount ? .zero : nil
        }
    }

    private func request(_ rule: (any RetryRule)?) -> FetchRequest {
        var request = FetchRequest.sample()
        request.retryRule = rule
        return request
    }

    @Test func `a custom rule decides alone, also for permanent failures`() async throws {
        let loader = ScriptedDataLoader { _, index in
            guard index == 20 else { throw FetchError(.unacceptableStatus, status: 404, detail: "") }
            return .chunks([sampleBytes(10)])
        }
        let rule = Stubborn(maxCount: 20)
        let response = try await RetryingLoader(loader, policy: .prompt).response(for: request(rule))
        #expect(try await response.collected() == sampleBytes(10))
        #expect(rule.errors.value == Array(repeating: .unacceptableStatus, count: 20))
    }

    @Test func `a custom rule may refuse a retry that the policy allows`() async {
        let loader = ScriptedDataLoader { _, _ in throw lost }
        let retrying = RetryingLoader(loader, policy: .prompt)
        #expect(await failure { try await retrying.response(for: request(Stubborn(maxCount: 0))) } == lost)
        #expect(loader.requests.count == 1)
    }

    @Test func `a custom rule also decides for interrupted bodies`() async throws {
        let loader = ScriptedDataLoader { request, _ in
            guard request["Range"] != nil else {
                return .chunks([sampleBytes(5)], then: lost, ["ETag": "\"a\""], expecting: 10)
            }
            let rest: KeyValuePairs = ["ETag": "\"a\"", "Content-Range": "bytes 5-9/10"]
            return .chunks([sampleBytes(10).dropFirst(5)], status: 206, rest, expecting: 5)
        }
        let rule = Stubborn(maxCount: 1)
        let retrying = RetryingLoader(loader, policy: .none)
        #expect(try await retrying.response(for: request(rule)).collected() == sampleBytes(10))
        #expect(rule.errors.value.count == 1)
    }

    @Test func `a policy of one request replaces the loader's`() async {
        var policy = RetryPolicy.prompt
        policy.maxRetryCount = 1
        let loader = ScriptedDataLoader { _, _ in throw lost }
        let retrying = RetryingLoader(loader, policy: .none)
        #expect(await failure { try await retrying.response(for: request(policy)) } == lost)
        #expect(loader.requests.count == 2)
    }

    @Test func `a request other than a plain GET is retried only by its own rule`() async {
        let loader = ScriptedDataLoader { _, _ in throw lost }
        let retrying = RetryingLoader(loader, policy: .prompt)
        var post = request(nil)
        post.body = Data("a".utf8)
        #expect(await failure { try await retrying.response(for: post) } == lost)
        #expect(loader.requests.count == 1)
        post.retryRule = Stubborn(maxCount: 1)
        #expect(await failure { try await retrying.response(for: post) } == lost)
        #expect(loader.requests.count == 3)
    }
}
