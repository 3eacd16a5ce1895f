import TestSupport
import Testing

@testable import Calotype

@Suite(.gated) struct ByteLedgerTests {
    private var ledger = ByteLedger(ByteLedger.Terms(maxByteCount: 100, maxOriginByteCount: 50))

    private func claim(_ byteCount: Int, of origin: String = "a") -> ByteLedger.Claim {
        ByteLedger.Claim(byteCount: byteCount, origin: origin)
    }

    /// Gives a claim its bytes if it fits or may exceed the budget.
    private mutating func grant(_ claim: ByteLedger.Claim, _ number: Int) -> Bool {
        if !ledger.fits(claim, number) {
            guard ledger.mayExceed(claim, number) else { return false }
            ledger.letExceed(claim, number)
        }
        ledger.hold(claim, number)
        return true
    }

    private mutating func park(_ number: Int) -> Bool { ledger.park(number, of: "a") }

    @Test mutating func `a parked holder of its origin's whole share lets one other claim exceed it`() {
        #expect(grant(claim(50), 1))
        #expect(!grant(claim(1), 2))
        #expect(park(1))
        #expect(grant(claim(1), 2))
        #expect(!grant(claim(1), 3), "one at a time")
        #expect(ledger.heldByteCount == 51)
        // Its body continues.
        ledger.hold(claim(50), 1)
        ledger.end(2, of: "a")
        #expect(!grant(claim(1), 3))
        ledger.end(1, of: "a")
        #expect(grant(claim(1), 3))
        ledger.end(3, of: "a")
        #expect(ledger.heldByteCount == 0)
    }

    @Test mutating func `a parked holder that exceeds the budget gives the right to the next claim`() {
        #expect(grant(claim(60), 1))
        #expect(!grant(claim(60), 2))
        #expect(park(1))
        #expect(grant(claim(60), 2))
        // The first one keeps its bytes and may go on.
        #expect(grant(claim(70), 1))
        #expect(ledger.heldByteCount == 130)
        ledger.end(1, of: "a")
        ledger.end(2, of: "a")
        #expect(grant(claim(50), 3))
    }

    @Test mutating func `a third holder above the budget may not be parked beside two parked ones`() {
        for number in 1...2 {
            #expect(grant(claim(60), number))
            #expect(park(number))
        }
        #expect(grant(claim(60), 3))
        #expect(!park(3))
        ledger.end(1, of: "a")
        #expect(park(3))
        // One that resumes and breaks off again has its part in the limit already.
        #expect(grant(claim(70), 2))
        #expect(park(2))
        for number in 2...3 { ledger.end(number, of: "a") }
        #expect(ledger.heldByteCount == 0)
    }
}
