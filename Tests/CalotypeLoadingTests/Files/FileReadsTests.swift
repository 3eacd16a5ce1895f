import CalotypeSupport
import CalotypeTesting
import TestSupport
import Testing

@testable import CalotypeLoading

/// File reads that hang, as on an unreachable file server.
@Suite(.gated) struct FileReadsTests {
    @Test func `a hanging read is given up, and its folder is refused above a thread limit`() async throws {
        let reads = FileReads(pool: BlockingPool(width: 2), timeout: .milliseconds(20))
        let gate = BlockingGate()
        for _ in 0..<2 {
            let error = await failure { try await reads.run("/gone") { gate.wait() } }
            #expect((error?.code, error?.isRetryable) == (.timedOut, true))
        }
        let begun = SharedState(false)
        let refusal = await failure { try await reads.run("/gone") { begun.withLock { $0 = true } } }
        #expect(refusal?.code == .timedOut)
        #expect(refusal?.detail.contains("not tried") == true)
        #expect(!begun.value)
        let patient = FileReads(pool: BlockingPool(width: 2))
        #expect(try await patient.run("/here") { 7 } == 7)
        gate.open()
    }

    @Test func `the limit of a caller includes the wait for a thread`() async throws {
        let reads = FileReads(pool: BlockingPool(width: 1))
        let (gate, reached) = (BlockingGate(), AsyncGate())
        let slow = Task {
            try await reads.run("/slow") {
                reached.open()
                gate.wait()
            }
        }
        await reached.wait()
        let error = await failure { try await reads.run("/here", within: .milliseconds(1)) {} }
        #expect((error?.code, error?.isRetryable) == (.timedOut, true))
        gate.open()
        try await slow.value
    }

    @Test func `files of other folders are still read while one folder hangs`() async throws {
        let pool = BlockingPool(width: 2)
        let (hanging, reads) = (FileReads(pool: pool, timeout: .milliseconds(20)), FileReads(pool: pool))
        let gate = BlockingGate()
        for _ in 0..<2 { _ = await failure { try await hanging.run("/gone") { gate.wait() } } }
        for number in 0..<20 { #expect(try await reads.run("/here") { number } == number) }
        gate.open()
    }
}
