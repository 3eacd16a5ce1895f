import CalotypeLoading
import CalotypeTesting
import FoundationEssentials
import LoopbackOrigin
import TestSupport
import Testing

/// Runs a test against an origin and the standard router with retries without delay.
private func withRetries(
    _ policy: RetryPolicy = .prompt,
    _ handler: @escaping LoopbackOrigin.Handler,
    _ body: (LoopbackOrigin, RoutingLoader) async throws -> Void
) async throws {
    let origin = try await LoopbackOrigin.start(handler)
    let loader = RoutingLoader.standard(.patient, retry: policy)
    try await closing(origin, loader) { try await body(origin, loader) }
}

private let whole = sampleBytes(200_000)

/// The bytes from the requested start, or all of them.
private func answer(_ request: OriginRequest, endingAt end: Int? = nil, tag: String = "\"a\"")
    -> OriginResponse
{
    let start = Int(request[header: "range"]?.dropFirst(6).dropLast() ?? "0") ?? 0
    let isPart = request[header: "range"] != nil && request[header: "if-range"] == tag
    let rest = isPart ? Data(whole.dropFirst(start)) : whole
    var response = end.map { OriginResponse.body(rest, resetAfter: $0 - (isPart ? start : 0)) } ?? .body(rest)
    response.headers = [OriginField("ETag", tag)]
    if isPart {
        response.status = 206
        let range = "bytes \(start)-\(whole.count - 1)/\(whole.count)"
        response.headers.append(OriginField("Content-Range", range))
    }
    return response
}

@Suite(.gated)
struct `Retries over HTTP` {
    @Test func `each attempt is a transaction`() async throws {
        let count = SharedState(0)
        try await withRetries { _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            return number < 3 ? .status(503) : .body(sampleBytes(9))
        } _: { origin, loader async throws in
            var request = FetchRequest(url: origin.url("/"))
            let tally = FetchTally()
            request.tally = tally
            #expect(try await loader.response(for: request).collected() == sampleBytes(9))
            #expect(tally.counts.transactions.map(\.status) == [503, 503, 200])
        }
    }

    @Test func `a body is continued after its connection was reset`() async throws {
        let requests = SharedState<[OriginRequest]>([])
        try await withRetries { request in
            let count = requests.withLock { requests in
                requests.append(request)
                return requests.count
            }
            return answer(request, endingAt: [100_000, 150_000].dropFirst(count - 1).first)
        } _: { origin, loader async throws in
            let response = try await loader.response(for: FetchRequest(url: origin.url("/")))
            #expect(response.expectedByteCount == whole.count)
            // A reset may lose bytes in transit, so the start of the rest is not known.
            #expect(try await response.collected() == whole)
            let seen = requests.value
            #expect(seen.count == 3)
            #expect(
                seen.dropFirst().allSatisfy {
                    $0[header: "if-range"] == "\"a\"" || $0[header: "range"] == nil
                }
            )
        }
    }

    @Test func `content that changed in between fails the load`() async throws {
        let count = SharedState(0)
        try await withRetries { request in
            let isFirst = count.withLock { count in
                count += 1
                return count == 1
            }
            guard isFirst else { return answer(request, tag: "\"b\"") }
            // Closed in order, so that no byte is lost: the part has certainly been delivered.
            var response = OriginResponse.body(whole.prefix(1_000), announcing: whole.count)
            response.headers = [OriginField("ETag", "\"a\"")]
            return response
        } _: { origin, loader async throws in
            let error = await failure { try await loader.data(origin.url("/")) }
            #expect(error?.code == .lengthMismatch)
        }
    }

    @Test func `the Retry-After of an origin is respected`() async throws {
        let count = SharedState(0)
        try await withRetries { _ in
            let isFirst = count.withLock { count in
                count += 1
                return count == 1
            }
            guard isFirst else { return .body(sampleBytes(10)) }
            return OriginResponse(status: 503, headers: [OriginField("Retry-After", "0")])
        } _: { origin, loader async throws in
            #expect(try await loader.data(origin.url("/")) == sampleBytes(10))
            #expect(count.value == 2)
        }
    }

    @Test func `the Retry-After of an origin is in the error`() async throws {
        let routes = ["/": OriginResponse(status: 429, headers: [OriginField("Retry-After", "120")])]
        try await withOrigin(routes) { origin, loader async throws in
            let error = await failure { try await loader.data(origin.url("/")) }
            #expect(error?.retryAfter == .seconds(120))
            #expect(error?.isRetryable == true)
            // More than the policy's limit: fails at once.
            let retrying = RetryingLoader(loader)
            #expect(await failure { try await retrying.data(origin.url("/")) }?.status == 429)
            #expect(await origin.activity.snapshot.requests.count == 2)
        }
    }

    @Test(arguments: [(RetryPolicy.prompt, 3), (RetryPolicy.none, 1)])
    func `the standard router makes as many attempts as its policy allows`(policy: RetryPolicy, count: Int)
        async throws
    {
        try await withRetries(policy) { _ in
            .status(500)
        } _: { origin, loader async throws in
            #expect(await failure { try await loader.data(origin.url("/")) }?.status == 500)
            #expect(await origin.activity.snapshot.requests.count == count)
        }
    }
}
