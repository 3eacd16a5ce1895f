public import CalotypeCodecs
public import CalotypeCore
import CalotypeSandbox
public import CalotypeTransforms
public import FoundationEssentials
public import Testing

/// Runs tests twice: with codecs in process, and with the same codecs in workers, if available.
///
/// The tests use ``CalotypeCodecs/CodecRegistry/tested`` and the decoders, encoders and transform chains that
/// are `tested`; both modes must give the same results.
public struct BothModesTrait: TestTrait, SuiteTrait, TestScoping {
    /// The workers of the second run; `nil` in process.
    @TaskLocal fileprivate static var workers: CodecWorkers?

    /// As many workers as concurrent tests, so that none waits for one.
    private static let start = Task { try await Workers.started(maxCount: 8) }

    /// True: the trait applies to the tests of a suite.
    public var isRecursive: Bool { true }

    /// Runs a test in one mode, and then in the other.
    ///
    /// - Throws: The error of the test.
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
    /// For tests of codec contracts: in process, and then in workers.
    public static var inBothModes: BothModesTrait { BothModesTrait() }
}

extension CodecRegistry {
    /// The library's codecs, in the mode of the test.
    public static var tested: CodecRegistry { BothModesTrait.workers?.codecs(.standard) ?? .standard }
}

extension ImageDecoder {
    /// The decoder in the mode of the test.
    public var tested: any ImageDecoder { BothModesTrait.workers?.placed(self) ?? self }
}

extension ImageEncoder {
    /// The encoder in the mode of the test.
    public var tested: any ImageEncoder { BothModesTrait.workers?.placed(self) ?? self }
}

extension IncrementalDecoder {
    /// Appends the next bytes and validates them: by the append itself in process, by the next preview in
    /// workers (decision 0200).
    ///
    /// - Throws: The error that refuses the bytes.
    public func judge(_ chunk: Data) throws(DecodeError) {
        try append(chunk)
        if BothModesTrait.workers != nil { _ = try preview() }
    }
}

/// A transform chain that is applied in the mode of the test.
public struct TestedChain {
    fileprivate let chain: TransformChain

    /// Applies the chain.
    public func apply(to image: Image) throws -> Image {
        try chain.apply(to: image, at: CodecRegistry.tested.transformPlace)
    }
}

extension ImageTransform {
    /// The transform in the mode of the test.
    public var tested: TestedChain { TestedChain(chain: TransformChain(self)) }
}
