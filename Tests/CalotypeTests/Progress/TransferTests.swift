import FoundationEssentials
import TestSupport
import Testing

@testable import Calotype

@Suite(.gated) struct TransferTests {
    @Test func `a body that broke off does not count as complete before the next one begins`() {
        let transfer = Transfer()
        transfer.begin(expectedByteCount: 100)
        _ = transfer.receive(Data(count: 10))
        #expect(transfer.arrivedByteCount == 10)
        #expect(transfer.take(isWhole: false).count == 10)
        // A stale image stands in for the next source too, if that is slow.
        #expect(transfer.arrivedByteCount == 0)
        transfer.begin(expectedByteCount: nil)
        _ = transfer.receive(Data(count: 20))
        #expect(transfer.take().count == 20)
        #expect(transfer.arrivedByteCount == nil)
    }
}
