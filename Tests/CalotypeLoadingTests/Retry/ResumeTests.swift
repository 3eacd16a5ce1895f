import CalotypeLoading
import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing

/// Loads 100 bytes that are interrupted after 40, and then gets the given response.
private func load(
    _ headers: KeyValuePairs<String, String> = ["ETag": "\"a\""],
    expecting byteCount: Int? = 100,
    maxByteCount: Int = 1_000,
    brokenAfter brokenByteCount: Int = 40,
    then second: @escaping @Sendable (FetchRequest) throws -> FetchResponse
) async -> (result: Result<Data, FetchError>, requests: [FetchRequest]) {
    let first = FetchResponse.chunks(
        brokenByteCount == 0 ? [] : [sampleBytes(100).prefix(brokenByteCount)],
        then: lost,
        headers,
        expecting: byteCount
    )
    let loader = ScriptedDataLoader { request, index in index == 0 ? first : try second(request) }
    var request = FetchRequest.sample(["Accept": "image/*"])
    request.maxByteCount = maxByteCount
    do {
        let response = try await RetryingLoader(loader, policy: .prompt).response(for: request)
        #expect(response.expectedByteCount == byteCount)
        return (.success(try await response.collected()), loader.requests)
    } catch let error as FetchError {
        return (.failure(error), loader.requests)
    } catch {
        Issue.record("\(error)")
        return (.failure(lost), loader.requests)
    }
}

private func rest(_ range: String, _ headers: KeyValuePairs<String, String> = [:]) -> FetchResponse {
    var response = FetchResponse.chunks([sampleBytes(100).dropFirst(40)], status: 206, headers, expecting: 60)
    response.headers.append(HeaderField("Content-Range", range))
    return response
}

@Suite(.gated)
struct `Continued bodies` {
    private let earlier = "Sun, 06 Nov 1994 08:48:37 GMT"
    private let date = "Sun, 06 Nov 1994 08:49:37 GMT"

    // SDWebImage #867, #347, #2428.
    @Test func `an interrupted body is continued at its end`() async throws {
        let (result, requests) = await load { _ in rest("bytes 40-99/100", ["ETag": "\"a\""]) }
        #expect(result == .success(sampleBytes(100)))
        #expect(requests.count == 2)
        #expect(requests[0]["Range"] == nil)
        #expect(requests[1]["Range"] == "bytes=40-")
        #expect(requests[1]["If-Range"] == "\"a\"")
        #expect(requests[1]["Accept"] == "image/*")
    }

    @Test func `a strong date is used without an entity tag`() async {
        let headers: KeyValuePairs = ["Last-Modified": earlier, "Date": date]
        let (result, requests) = await load(headers) { _ in rest("bytes 40-99/100") }
        #expect(result == .success(sampleBytes(100)))
        #expect(requests.last?["If-Range"] == earlier)
    }

    @Test func `without a strong validator no parts are joined`() async {
        let weak: [KeyValuePairs<String, String>] = [
            [:], ["ETag": "W/\"a\""], ["ETag": "a"], ["Last-Modified": date, "Date": date],
            ["Last-Modified": earlier], ["ETag": "W/\"a\"", "Last-Modified": earlier, "Date": date],
        ]
        for headers in weak {
            let (result, requests) = await load(headers) { _ in rest("bytes 40-99/100") }
            #expect(result == .failure(lost), "\(headers)")
            #expect(requests.count == 1)
        }
    }

    @Test(arguments: [
        "bytes 39-99/100", "bytes 41-99/100", "bytes 40-99/101", "bytes 0-99/100", "bytes */100", "",
        "40-99/100",
    ])
    func `a mismatched part fails the load with the first error`(range: String) async {
        let (result, _) = await load { _ in rest(range) }
        #expect(result == .failure(lost))
    }

    @Test func `a part of other content fails the load`() async {
        let (result, _) = await load { _ in rest("bytes 40-99/100", ["ETag": "\"b\""]) }
        #expect(result == .failure(lost))
    }

    @Test func `a repeated whole with the same tag is skipped up to the delivered bytes`() async {
        let (result, _) = await load { _ in
            .chunks(
                [sampleBytes(100).prefix(30), sampleBytes(100).dropFirst(30)],
                ["ETag": "\"a\""],
                expecting: 100
            )
        }
        #expect(result == .success(sampleBytes(100)))
    }

    @Test func `an origin without ranges is sent a full request again`() async {
        let headers: KeyValuePairs = ["ETag": "\"a\"", "Accept-Ranges": "none"]
        let (result, requests) = await load(headers) { _ in
            .chunks([sampleBytes(100)], ["ETag": "\"a\""], expecting: 100)
        }
        #expect(result == .success(sampleBytes(100)))
        #expect(requests.count == 2)
        #expect(requests.last?["Range"] == nil && requests.last?["If-Range"] == nil)
        let dated: KeyValuePairs = ["Last-Modified": earlier, "Date": date, "Accept-Ranges": "none"]
        let (byDate, asked) = await load(dated) { _ in rest("bytes 40-99/100") }
        #expect(byDate == .failure(lost))
        #expect(asked.count == 1)
    }

    @Test func `a whole of other or unknown content fails the load`() async {
        let others: [KeyValuePairs<String, String>] = [["ETag": "\"b\""], [:], ["ETag": "W/\"a\""]]
        for headers in others {
            let (result, _) = await load { _ in .chunks([sampleBytes(100)], headers, expecting: 100) }
            #expect(result == .failure(lost), "\(headers)")
        }
        let (byDate, _) = await load(["Last-Modified": earlier, "Date": date]) { _ in
            .chunks([sampleBytes(100)], ["Last-Modified": "Sun, 06 Nov 1994 08:48:37 GMT"], expecting: 100)
        }
        #expect(byDate == .failure(lost))
        let (longer, _) = await load { _ in .chunks([sampleBytes(101)], ["ETag": "\"a\""], expecting: 101) }
        #expect(longer == .failure(lost))
    }

    @Test func `a whole shorter than the delivered bytes fails the load`() async {
        let (result, requests) = await load(expecting: nil) { _ in
            .chunks([sampleBytes(100).prefix(20)], ["ETag": "\"a\""])
        }
        #expect(throws: FetchError.self) { try result.get() }
        #expect(requests.count == 3)
    }

    @Test func `a body of unknown size gets its size from the part`() async {
        let (result, _) = await load(expecting: nil) { _ in rest("bytes 40-99/100") }
        #expect(result == .success(sampleBytes(100)))
        let (unknown, _) = await load(expecting: nil) { _ in rest("bytes 40-99/*") }
        #expect(unknown == .failure(lost))
    }

    @Test func `a body interrupted again is continued again, twice in total`() async throws {
        let whole = sampleBytes(100)
        let loader = ScriptedDataLoader { request, _ in
            let start = Int(request["Range"]?.dropFirst(6).dropLast() ?? "0") ?? 0
            let head: KeyValuePairs = ["ETag": "\"a\"", "Content-Range": "bytes \(start)-99/100"]
            let chunk = Data(whole.dropFirst(start).prefix(40))
            return .chunks(
                [chunk],
                then: start < 60 ? lost : nil,
                status: start == 0 ? 200 : 206,
                head,
                expecting: 100 - start
            )
        }
        let retrying = RetryingLoader(loader, policy: .prompt)
        #expect(try await retrying.response(for: .sample()).collected() == whole)
        #expect(loader.requests.map { $0["Range"] } == [nil, "bytes=40-", "bytes=80-"])
        var once = RetryPolicy.prompt
        once.maxRetryCount = 1
        let impatient = RetryingLoader(loader, policy: once)
        #expect(await failure { try await impatient.response(for: .sample()).collected() } == lost)
    }

    @Test func `retries before and within the body count together`() async throws {
        let loader = ScriptedDataLoader { _, index in
            if index != 1 { throw lost }
            return .chunks([sampleBytes(40)], then: lost, ["ETag": "\"a\""], expecting: 100)
        }
        let retrying = RetryingLoader(loader, policy: .prompt)
        let response = try await retrying.response(for: .sample())
        #expect(await failure { try await response.collected() } == lost)
        #expect(loader.requests.count == 3)
    }

    @Test func `a body that ends early counts as interrupted`() async throws {
        let loader = ScriptedDataLoader { _, index in
            index == 0
                ? .chunks([sampleBytes(100).prefix(40)], ["ETag": "\"a\""], expecting: 100)
                : rest("bytes 40-99/100")
        }
        let retrying = RetryingLoader(loader, policy: .prompt)
        #expect(try await retrying.response(for: .sample()).collected() == sampleBytes(100))
    }

    @Test func `a permanent failure is not continued`() async {
        let large = FetchError(.bodyTooLarge, detail: "")
        let loader = ScriptedDataLoader { _, _ in .chunks([sampleBytes(4)], then: large, ["ETag": "\"a\""]) }
        let retrying = RetryingLoader(loader, policy: .prompt)
        #expect(await failure { try await retrying.response(for: .sample()).collected() } == large)
        #expect(loader.requests.count == 1)
    }

    @Test func `a refusal to continue fails the load with the first error`() async {
        for status in [404, 412, 416] {
            let (result, requests) = await load { _ in
                throw FetchError(.unacceptableStatus, status: status, detail: "")
            }
            #expect(result == .failure(lost))
            #expect(requests.count == 2)
        }
    }

    @Test func `the limits apply to the whole body`() async {
        let (atLimit, _) = await load(expecting: nil, maxByteCount: 100) { _ in rest("bytes 40-99/100") }
        #expect(atLimit == .success(sampleBytes(100)))
        let (over, _) = await load(expecting: nil, maxByteCount: 99) { _ in rest("bytes 40-99/100") }
        #expect(throws: FetchError.self) { try over.get() }
        let (excess, _) = await load { _ in
            .chunks([sampleBytes(61)], status: 206, ["Content-Range": "bytes 40-99/100"])
        }
        guard case .failure(let error) = excess else { return #expect(Bool(false), "too many bytes") }
        #expect(error.code == .lengthMismatch)
    }

    @Test func `a body interrupted before its first byte starts anew`() async {
        let (result, requests) = await load([:], brokenAfter: 0) { _ in
            .chunks([sampleBytes(100)], expecting: 100)
        }
        #expect(result == .success(sampleBytes(100)))
        #expect(requests[1]["Range"] == nil)
    }

    @Test func `a new start with a different header fails the load`() async {
        for headers: KeyValuePairs in [
            ["ETag": "\"b\""], [:], ["ETag": "\"a\"", "Content-Type": "text/html"],
        ] {
            let (result, _) = await load(brokenAfter: 0) { _ in
                .chunks([sampleBytes(100)], headers, expecting: 100)
            }
            #expect(result == .failure(lost), "\(headers)")
        }
    }

    @Test func `a failed body stays at its end`() async throws {
        let loader = ScriptedDataLoader { _, _ in .chunks([sampleBytes(4)], then: lost) }
        var chunks = try await RetryingLoader(loader, policy: .prompt).response(for: .sample()).body
            .makeAsyncIterator()
        #expect(try await chunks.next() == sampleBytes(4))
        #expect(await failure { try await chunks.next() } == lost)
        #expect(try await chunks.next() == nil)
        #expect(loader.requests.count == 1)
    }

    @Test func `cancelling ends the wait within a body`() async throws {
        let clock = ManualClock()
        let loader = ScriptedDataLoader { _, _ in .chunks([sampleBytes(4)], then: lost, ["ETag": "\"a\""]) }
        let retrying = RetryingLoader(loader, clock: clock)
        let task = Task { try await retrying.response(for: .sample()).collected() }
        _ = await clock.nextSleep()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(loader.requests.count == 1)
    }

    @Test func `a requested range is not continued`() async throws {
        let loader = ScriptedDataLoader { _, _ in
            .chunks(
                [sampleBytes(4)],
                then: lost,
                status: 206,
                ["ETag": "\"a\"", "Content-Range": "bytes 5-9/10"]
            )
        }
        let retrying = RetryingLoader(loader, policy: .prompt)
        let request = FetchRequest.sample(["Range": "bytes=5-9"])
        #expect(await failure { try await retrying.response(for: request).collected() } == lost)
        #expect(loader.requests.count == 1)
    }
}
