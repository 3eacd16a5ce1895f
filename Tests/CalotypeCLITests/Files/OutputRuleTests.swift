import TestSupport
import Testing

@testable import CalotypeCLI

@Suite(.gated) struct OutputRuleTests {
    private typealias Existing = OutputRule.Existing
    private static let one = FileIdentity(device: 1, inode: 1)
    private static let two = FileIdentity(device: 1, inode: 2)

    private func action(
        _ rule: OutputRule,
        _ path: String,
        _ existing: OutputRule.Existing,
        of source: String = "s"
    ) -> Result<OutputRule.Action, CommandError> {
        let target = OutputRule.Target(path: path, location: "/r/" + path, existing: existing)
        return Result { () throws(CommandError) in try rule.action(for: target, of: source) }
    }

    private func code(_ result: Result<OutputRule.Action, CommandError>) -> CommandError.Code? {
        guard case .failure(let error) = result else { return nil }
        return error.code
    }

    @Test(arguments: [false, true])
    func `an output is created at a free path`(overwrites: Bool) throws {
        #expect(try action(OutputRule(overwrites: overwrites), "a", .nothing).get() == .create)
    }

    @Test func `an existing file is replaced only on request`() throws {
        let existing = Existing.regular(Self.one, isWritable: true)
        #expect(code(action(OutputRule(), "a", existing)) == .exists)
        #expect(try action(OutputRule(overwrites: true), "a", existing).get() == .replace)
    }

    @Test func `a write-protected file is not replaced`() {
        let result = action(OutputRule(overwrites: true), "a", .regular(Self.one, isWritable: false))
        #expect(code(result) == .notWritable)
    }

    @Test(arguments: [false, true])
    func `an input is not replaced under any of its names`(overwrites: Bool) {
        var rule = OutputRule(overwrites: overwrites)
        rule.protect("/r/a", Self.one)
        #expect(code(action(rule, "a", .regular(Self.one, isWritable: true))) == .isInput)
        // A hard link, or another spelling.
        #expect(code(action(rule, "b", .regular(Self.one, isWritable: true))) == .isInput)
        // Replaced by an editor since.
        #expect(code(action(rule, "a", .regular(Self.two, isWritable: true))) == .isInput)
        // Removed since.
        #expect(code(action(rule, "a", .nothing)) == .isInput)
        #expect(code(action(rule, "b", .stream(Self.one))) == .isInput)
    }

    @Test func `a device that is also an input may be written to`() throws {
        var rule = OutputRule()
        rule.protect("/r/tty", nil)
        #expect(try action(rule, "tty", .stream(nil)).get() == .writeThrough)
    }

    @Test(arguments: [false, true])
    func `an output of the run is not replaced by another image`(overwrites: Bool) throws {
        var rule = OutputRule(overwrites: overwrites)
        rule.noteOutput("/r/a", Self.one, of: "s")
        let existing = Existing.regular(Self.one, isWritable: true)
        #expect(code(action(rule, "a", existing, of: "t")) == .nameClash)
        #expect(try action(rule, "a", existing, of: "s").get() == .none)
        // On a case-insensitive file system.
        #expect(code(action(rule, "A", existing, of: "t")) == .nameClash)
    }

    @Test(arguments: [false, true])
    func `folders, block devices and dangling links are never written to`(overwrites: Bool) {
        for existing in [Existing.folder, .blockDevice, .danglingLink(to: "none")] {
            #expect(code(action(OutputRule(overwrites: overwrites), "a", existing)) == .notWritable)
        }
    }
}
