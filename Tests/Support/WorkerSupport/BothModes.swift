public import CalotypeCodecs
public import CalotypeCore
import CalotypeSandbox
public import CalotypeTransforms
public import FoundationEssentials
public import Testing

/// Runs tests twice: with codecs in process, and with the same in workers, where this machine has them.
///
/// What they are about are ``CalotypeCodecs/CodecRegistry/tested`` and the decoders, encoders and chains of
/// transforms that are `tested`: of both modes the same is expected.
public struct BothModesTrait: TestTrait, SuiteTrait, TestScoping {
    /// Those of the second time; `nil` in process.
    @TaskLocal fileprivate static var workers: CodecWorkers?

    /// As many as tests run at once, so that none waits for one.
    private static let start = Task { try await Workers.started(countMax: 8) }

    /// Whether the tests of a suite have it too: they do.
    public var isRecursive: Bool { true }

    /// Runs a test in one mode, and then in the other.
    ///
    /// - Throws: What the test throws.
    public func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable @concurrent () async throws -> Void
    ) async throws {
        try await function()
        guard try await Workers.isAvailable() else { return }
        let workers = try await Self.start.value
        let named = IssueHandlingTrait.compactMapIssues { issue in
            var issue = issue
            issue.comments.append("with its codecs in workers")
            return issue
        }
        try await named.provideScope(for: test, testCase: testCase) {
            try await Self.$workers.withValue(workers) { try await function() }
        }
    }
}

extension Trait where Self == BothModesTrait {
    /// For tests of what codecs promise: in process, and then in workers.
    public static var inBothModes: BothModesTrait { BothModesTrait() }
}

extension CodecRegistry {
    /// The library's codecs, in the mode of the test.
    public static var tested: CodecRegistry { BothModesTrait.workers?.codecs(.standard) ?? .standard }
}

extension ImageDecoder {
    /// The same, in the mode of the test.
    public var tested: any ImageDecoder { BothModesTrait.workers?.placed(self) ?? self }
}

extension ImageEncoder {
    /// The same, in the mode of the test.
    public var tested: any ImageEncoder { BothModesTrait.workers?.placed(self) ?? self }
}

extension IncrementalDecoder {
    /// Takes the next bytes and judges them: by the append itself in process, by the next preview in workers
    /// (decision 0200).
    ///
    /// - Throws: What the bytes are refused with.
    public func judge(_ chunk: Data) throws(DecodeError) {
        try append(chunk)
        if BothModesTrait.workers != nil { _ = try preview() }
    }
}

/// A chain of transforms that is applied in the mode of the test.
public struct TestedChain {
    fileprivate let chain: TransformChain

    /// Applies the chain.
    public func apply(to image: Image) throws -> Image {
        try chain.apply(to: image, at: CodecRegistry.tested.transformPlace)
    }
}

extension ImageTransform {
    /// The same, in the mode of the test.
    public var tested: TestedChain { TestedChain(chain: TransformChain(self)) }
}
