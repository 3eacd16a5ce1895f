import Testing

@testable import CalotypeCLI

@Suite struct ProgramStatusTests {
    @Test(arguments: [
        (ProgramStatus.success, Int32(0)), (.failure, 1), (.usage, 2), (.damaged, 3), (.notInCache, 4),
        (.interrupted, 130),
    ])
    func `the numbers are those that other programs rely on`(status: ProgramStatus, number: Int32) {
        #expect(status.rawValue == number)
    }

    @Test func `a failure is not reported as success`() {
        #expect(ProgramStatus.combined([ProgramStatus]()) == .success)
        #expect(ProgramStatus.combined([.success, .success]) == .success)
    }

    @Test func `a failure takes precedence over a cache miss`() {
        #expect(ProgramStatus.combined([.success, .notInCache]) == .notInCache)
        #expect(ProgramStatus.combined([.notInCache, .failure, .success]) == .failure)
    }
}
