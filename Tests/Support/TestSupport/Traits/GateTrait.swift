public import Testing

/// Runs tests through the gate of this process, so that a bare `swift test` is right (decision 0345).
///
/// At most eight tests run at a time, and never tests of two targets: an origin in the same process must not
/// respond late because codecs compute or programs start.
public struct GateTrait: TestTrait, SuiteTrait, TestScoping {
    static let gate = TestGate()

    private let isAlone: Bool

    fileprivate init(isAlone: Bool) {
        self.isAlone = isAlone
    }

    /// True: the trait applies to the tests of a suite.
    public var isRecursive: Bool { true }

    /// Runs the test when the gate admits it.
    ///
    /// - Throws: The error of the test.
    public func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable @concurrent () async throws -> Void
    ) async throws {
        let part = isAlone ? TestGate.Part("alone", width: 1) : .target(of: test)
        try await Self.gate.run(part, name: test.name, atMost: Soak.timeLimit) { try await function() }
    }
}

extension Trait where Self == GateTrait {
    /// For tests that neither block nor compute for long; `blocking` and `waiting` include it.
    public static var gated: GateTrait { GateTrait(isAlone: false) }

    /// For tests that count what the whole process has, or take all of it: no other test runs beside one.
    public static var alone: GateTrait { GateTrait(isAlone: true) }
}

extension TestGate.Part {
    static func target(of test: Test) -> TestGate.Part {
        TestGate.Part(test.sourceLocation.moduleName, width: 8)
    }
}
