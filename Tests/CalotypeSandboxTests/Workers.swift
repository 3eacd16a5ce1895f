import CalotypeCodecs
import CalotypeCore
import CalotypeSandbox
import CalotypeSupport
import FoundationEssentials
import HostileCodec
import TestServers
import Testing

/// Workers for tests, of the probe beside the test program.
enum Workers {
    /// Whether this machine locks workers in: not where a container forbids seccomp, say.
    static let isAvailable: @Sendable () async throws -> Bool = {
        await start.result.isSuccess
    }

    static let advice: Comment = "this machine does not lock codec workers in (seccomp is not allowed)"

    private static let start = Task { try await started() }

    /// Those that most tests share, which may lose some to others.
    static var shared: CodecWorkers { get async throws { try await start.value } }

    /// New ones.
    static func started(
        countMax: Int = 2,
        _ change: (inout CodecWorkers.Configuration) -> Void = { _ in }
    ) async throws -> CodecWorkers {
        let probe = try ChildProcess.path(ofProduct: "SandboxProbe")
        var configuration = CodecWorkers.Configuration(executable: probe, countMax: countMax)
        change(&configuration)
        return try await CodecWorkers.start(configuration)
    }

    /// The codecs of the library and the hostile one.
    static let codecs: CodecRegistry = {
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
    var codecs: CodecRegistry { codecs(Workers.codecs) }

    /// A decode on a thread that may block; its error, or `nil`.
    func error(of word: String, within duration: Duration = .seconds(120)) async -> DecodeError? {
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
    func run<Value: Sendable>(_ body: @escaping @Sendable (CodecRegistry) throws -> Value) async throws
        -> Value
    {
        let codecs = codecs
        return try await Self.threads.run { () throws(any Error) in try body(codecs) }
    }

    private static let threads = BlockingPool(width: 8, name: "test")
}
