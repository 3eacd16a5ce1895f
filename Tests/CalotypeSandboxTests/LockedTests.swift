import TestSupport
import Testing

@testable import CalotypeSandbox

/// Warnings about missing restrictions of workers.
@Suite(.alone) struct LockedTests {
    private func warnings(landlock: Int, seccomp: Bool, limits: Bool = true) -> [String] {
        Locked(landlock: landlock, seccomp: seccomp, limits: limits, failure: "").warnings
    }

    @Test func `missing restrictions give one-line warnings and a full sandbox gives none`() {
        #expect(warnings(landlock: 6, seccomp: true).isEmpty)
        let fonts = warnings(landlock: 0, seccomp: true)
        #expect(fonts.count == 1 && fonts[0].hasPrefix("SVG text is drawn as boxes"))
        let unlocked = [
            warnings(landlock: 6, seccomp: false), warnings(landlock: 6, seccomp: true, limits: false),
        ]
        for told in unlocked {
            #expect(told.count == 1 && told[0].hasPrefix("codec workers are not fully sandboxed"))
        }
        let all = warnings(landlock: 0, seccomp: true, limits: false)
        #expect(all.count == 2 && all.allSatisfy { !$0.contains("\n") })
    }
}
