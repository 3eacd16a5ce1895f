import TestSupport
import Testing

@testable import CalotypeCLI

@Suite(.gated) struct CommandExitCodeTests {
    @Test(arguments: [
        (CommandExitCode.success, Int32(0)), (.failure, 1), (.usage, 2), (.damaged, 3), (.notInCache, 4),
        (.interrupted, 130),
    ])
    func `the exit codes are pinned`(status: CommandExitCode, number: Int32) {
        #expect(status.rawValue == number)
    }

    @Test func `a run without failures is a success`() {
        #expect(CommandExitCode.combined([CommandExitCode]()) == .success)
        #expect(CommandExitCode.combined([.success, .success]) == .success)
    }

    @Test func `a failure takes precedence over a cache miss`() {
        #expect(CommandExitCode.combined([.success, .notInCache]) == .notInCache)
        #expect(CommandExitCode.combined([.notInCache, .failure, .success]) == .failure)
    }
}
