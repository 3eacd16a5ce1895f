import CalotypeLoading
import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing

/// An origin that interrupts bodies, changes its content, and follows the rules of ranges at random.
private struct FlakyOrigin {
    var random: SeededGenerator
    var version = 0

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
    }

    private mutating func isTrue(oneIn count: Int) -> Bool {
        Int.random(in: 0..<count, using: &random) == 0
    }

    /// All versions have the same size, so that only validators distinguish them.
    static func content(_ version: Int) -> Data {
        Data((0..<500).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ version &* 101) })
    }

    mutating func answer(_ request: FetchRequest) throws -> FetchResponse {
        if isTrue(oneIn: 4) { version += 1 }
        if isTrue(oneIn: 8) { throw lost }
        let whole = Self.content(version)
        let tag = "\"\(version)\""
        let asked = Int(request["Range"]?.dropFirst(6).dropLast() ?? "")
        let isPart = asked != nil && request["If-Range"] == tag && !isTrue(oneIn: 4)
        let start = isPart ? asked ?? 0 : 0
        let rest = Data(whole.dropFirst(start))
        let end = isTrue(oneIn: 2) ? rest.count : Int.random(in: 0...rest.count, using: &random)
        let cut = Int.random(in: 0...end, using: &random)
        let chunks = [rest.prefix(cut), rest[cut..<end]].filter { !$0.isEmpty }.map { Data($0) }
        let announces = isTrue(oneIn: 2)
        var response = FetchResponse.chunks(
            chunks,
            then: end < rest.count && (!announces || isTrue(oneIn: 2)) ? lost : nil,
            status: isPart ? 206 : 200,
            ["ETag": tag],
            expecting: announces ? rest.count : nil
        )
        if isPart {
            response.headers.append(
                HeaderField("Content-Range", "bytes \(start)-\(whole.count - 1)/\(whole.count)")
            )
        }
        return response
    }
}

@Suite(.gated)
struct `Properties of continued bodies` {
    @Test func `a completed body is one version of the content, that of its header`() async throws {
        var wholeCount = 0
        var continuedCount = 0
        for seed: UInt64 in 0..<2_000 {
            let origin = SharedState(FlakyOrigin(seed: seed))
            let loader = ScriptedDataLoader { request, _ in
                try origin.withLock { origin in Result { try origin.answer(request) } }.get()
            }
            var policy = RetryPolicy.prompt
            policy.maxRetryCount = 6
            do {
                let response = try await RetryingLoader(loader, policy: policy).response(for: .sample())
                let bytes = try await response.collected()
                let tag = try #require(response.headers.first { $0.name == "ETag" }?.value)
                let version = try #require(Int(tag.dropFirst().dropLast()))
                #expect(bytes == FlakyOrigin.content(version), "seed \(seed)")
                wholeCount += 1
                if loader.requests.count > 1 { continuedCount += 1 }
            } catch let error as FetchError {
                #expect(error.isRetryable, "seed \(seed)")
            }
            #expect(loader.requests.count <= 7, "seed \(seed)")
        }
        #expect(wholeCount > 1_000, "\(wholeCount)")
        #expect(continuedCount > 200, "\(continuedCount)")
    }
}
