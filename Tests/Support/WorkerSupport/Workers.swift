public import CalotypeCodecs
public import CalotypeCore
public import CalotypeSandbox
import CalotypeSupport
import FoundationEssentials
import HostileCodec
import TestServers
public import Testing

/// Workers for tests, of the probe beside the test program.
public enum Workers {
    /// Whether this machine locks workers in: not where a container forbids seccomp, say.
    public static let isAvailable: @Sendable () async throws -> Bool = {
        await start.result.isSuccess
    }

    /// Why tests of them are left out.
    public static let advice: Comment =
        "this machine does not lock codec workers in (seccomp is not allowed)"

    private static let start = Task { try await started() }

    /// Those that most tests share, which may lose some to others.
    public static var shared: CodecWorkers { get async throws { try await start.value } }

    /// New ones.
    public static func started(
        countMax: Int = 2,
        _ change: (inout CodecWorkers.Configuration) -> Void = { _ in }
    ) async throws -> CodecWorkers {
        let probe = try ChildProcess.path(ofProduct: "SandboxProbe")
        var configuration = CodecWorkers.Configuration(executable: probe, countMax: countMax)
        change(&configuration)
        return try await CodecWorkers.start(configuration)
    }

    /// The codecs of the library and the hostile one.
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
    /// All codecs, at work in these.
    public var codecs: CodecRegistry { codecs(Workers.codecs) }

    /// What stands for a decoder, at work in these.
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

    /// What stands for an encoder, at work in these.
    public func placed(_ encoder: any ImageEncoder) -> any ImageEncoder {
        codecs(CodecRegistry()).placed(encoder)
    }

    /// A decode on a thread that may block; its error, or `nil`.
    public func error(of word: String, within duration: Duration = .seconds(120)) async -> DecodeError? {
        let codecs = codecs
        return await Self.threads.run { () -> DecodeError? in
            do throws(DecodeError) {
                var options = DecodeOptions()
                options.limits.durationMax = duration
                _ = try codecs.decode(Data("HOSTILE \(word)".utf8), options: options)
                return nil
            } catch {
                return error
            }
        }
    }

    /// Does something on a thread that may block.
    public func run<Value: Sendable>(
        _ body: @escaping @Sendable (CodecRegistry) throws -> Value
    ) async throws -> Value {
        let codecs = codecs
        return try await Self.threads.run { () throws(any Error) in try body(codecs) }
    }

    private static let threads = BlockingPool(width: 8, name: "test")
}
