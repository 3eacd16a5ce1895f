import CalotypeTesting
import CalotypeTransfer
import FoundationEssentials
import TestSupport
import Testing

@testable import CalotypeLoading

/// Tables whose keys clients and origins choose, filled with many keys.
@Suite(.blocking) struct LoadingTableLimitTests {
    @Test func `the memory of origins is limited in number and bytes`() async throws {
        var memory = OriginBackoff()
        var refusal = FetchError(
            .unacceptableStatus,
            status: 429,
            isRetryable: true,
            retryAfter: .seconds(60),
            detail: ManyKeys.text
        )
        let (text, now) = (ManyKeys.text, ContinuousClock.now)
        var (largest, retryCount) = (0, 0)
        try await ManyKeys.fill { number in
            let url = try #require(URL(string: "http://\(number).test/\(text)"))
            refusal.answeringURL = url
            memory.note(refusal, of: url, at: now)
            if memory.takeRetry(of: "\(text)\(number)", at: now) { retryCount += 1 }
            largest = max(largest, memory.count)
        }
        #expect(largest == memory.maxCount && retryCount == ManyKeys.count)
        #expect(ManyKeys.byteCount(of: memory) < 1 << 20)
        let last = try #require(refusal.answeringURL)
        #expect(memory.refusal(of: last, at: now)?.answeringURL == last)
    }

    @Test func `the addresses of a name are limited in number`() async throws {
        let cache = NameCache({ _ in (0..<5_000).map { .v4($0) } }, now: { .now })
        for _ in 0..<2 {
            let found = try await cache.addresses(of: "a.test", within: .seconds(3600), ContinuousClock())
            #expect(found == (0..<64).map { .v4($0) })
        }
    }

    @Test func `the queue of loads lists only hosts with loads`() async {
        var queue = AdmissionQueue(
            maxRunningCount: 64,
            maxRunningCountPerHost: 4,
            maxWaitingCount: 1_000,
            order: .oldestFirst
        )
        var refusedCount = 0
        await ManyKeys.fill { number in
            let ticket = AdmissionQueue.Ticket(number: number, host: "\(number).test")
            if case .overloaded = queue.enter(ticket, .normal) { refusedCount += 1 }
        }
        #expect(refusedCount == ManyKeys.count - 1_064)
        #expect(queue.activity.origins.count == 1_064)
        #expect(ManyKeys.byteCount(of: queue) < 1 << 20)
        for number in 0..<1_064 {
            _ = queue.leave(AdmissionQueue.Ticket(number: number, host: "\(number).test"))
        }
        #expect(queue.activity == LoaderActivity() && ManyKeys.byteCount(of: queue) < 1 << 10)
    }
}
