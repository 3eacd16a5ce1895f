public import CalotypeCodecs
public import CalotypeCore
public import CalotypeSandbox
import CalotypeSupport
import FoundationEssentials
import HostileCodec
import TestSupport
public import Testing

/// Workers for tests, run by the probe beside the test program.
public enum Workers {
    /// Whether this machine can sandbox workers; a container may forbid seccomp, for example.
    public static let isAvailable: @Sendable () async throws -> Bool = {
        await start.result.isSuccess
    }

    /// The reason shown for skipped tests.
    public static let advice: Comment =
        "this machine cannot sandbox codec workers (seccomp is not allowed)"

    private static let start = Task { try await started() }

    /// Workers shared by most tests, some of which may be lost by others.
    public static var shared: CodecWorkers { get async throws { try await start.value } }

    /// Starts new workers.
    public static func started(
        maxCount: Int = 2,
        _ change: (inout CodecWorkers.Configuration) -> Void = { _ in }
    ) async throws -> CodecWorkers {
        let probe = try ChildProcess.path(ofProduct: "SandboxProbe")
        var configuration = CodecWorkers.Configuration(executable: probe, maxCount: maxCount)
        change(&configuration)
        return try await CodecWorkers.start(configuration)
    }

    /// The built-in codecs and the hostile one.
    public static let codecs: CodecRegistry = {
        var codecs = CodecRegistry.standard
        codecs.register(HostileDecoder())
        return codecs
    }()
}

extension Result {
    fileprivate var isSuccess: Bool { if case .success = self { true } else { false } }
}

extension CodecWorkers {
    /// All codecs, run by these workers.
    public var codecs: CodecRegistry { codecs(Workers.codecs) }

    /// The proxy of a decoder that these workers run.
    public func placed(_ decoder: any ImageDecoder) -> any ImageDecoder {
        var registry = CodecRegistry()
        registry.register(decoder)
        var placed = decoder
        let codecs = codecs(registry)
        guard let place = codecs.place else { return decoder }
        _ = codecs.placed(
            at: place,
            decoder: { other in
                if other.formats == decoder.formats { placed = other }
                return other
            },
            encoder: { $0 }
        )
        return placed
    }

    /// The proxy of an encoder that these workers run.
    public func placed(_ encoder: any ImageEncoder) -> any ImageEncoder {
        codecs(CodecRegistry()).placed(encoder)
    }

    /// Decodes on a thread that may block, and returns the error or `nil`.
    public func error(of word: String, within duration: Duration = .seconds(120)) async -> DecodeError? {
        let codecs = codecs
        return await Self.threads.run { () -> DecodeError? in
            do throws(DecodeError) {
                var options = DecodeOptions()
                options.limits.maxDuration = duration
                _ = try codecs.decode(Data("HOSTILE \(word)".utf8), options: options)
                return nil
            } catch {
                return error
            }
        }
    }

    /// Runs a body on a thread that may block.
    public func run<Value: Sendable>(
        _ body: @escaping @Sendable (CodecRegistry) throws -> Value
    ) async throws -> Value {
        let codecs = codecs
        return try await Self.threads.run { () throws(any Error) in try body(codecs) }
    }

    private static let threads = BlockingPool(width: 8, name: "test")
}
