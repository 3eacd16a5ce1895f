import TestSupport
import Testing

@testable import CalotypeCLI

@Suite(.gated) struct ProgramStatusTests {
    @Test(arguments: [
        (ProgramStatus.success, Int32(0)), (.failure, 1), (.usage, 2), (.damaged, 3), (.notInCache, 4),
        (.interrupted, 130),
    ])
    func `the exit codes are pinned`(status: ProgramStatus, number: Int32) {
        #expect(status.rawValue == number)
    }

    @Test func `a run without failures is a success`() {
        #expect(ProgramStatus.combined([ProgramStatus]()) == .success)
        #expect(ProgramStatus.combined([.success, .success]) == .success)
    }

    @Test func `a failure takes precedence over a cache miss`() {
        #expect(ProgramStatus.combined([.success, .notInCache]) == .notInCache)
        #expect(ProgramStatus.combined([.notInCache, .failure, .success]) == .failure)
    }
}
