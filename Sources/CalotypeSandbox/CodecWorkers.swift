public import CalotypeCodecs
internal import CalotypeCore
internal import CalotypeSupport

/// Sandboxed processes that decode, encode and transform images.
///
/// ``codecs(_:)`` returns codecs that run in these processes, for every API that takes a registry:
///
/// ```swift
/// let workers = try await CodecWorkers.start(.init(executable: "/usr/lib/my-worker"))
/// for warning in workers.warnings { print(warning) }
/// let cache = ImageCache(codecs: workers.codecs(.standard))
/// ```
///
/// A job has a worker process of its own while it runs. A worker that crashes, exceeds a limit or violates
/// the protocol is replaced, and only its own job fails. The processes end with the last reference to this
/// object, and with the program.
public final class CodecWorkers: Sendable {
    /// The configuration that the workers were started with.
    public let configuration: Configuration

    private let pools: WorkerPools

    /// Starts the first worker and waits for it; the others start in the background.
    ///
    /// - Parameter configuration: The executable, limits and callbacks.
    /// - Returns: The workers.
    /// - Throws: ``SandboxError`` if the first worker does not start or cannot be sandboxed.
    public static func start(_ configuration: Configuration) async throws -> CodecWorkers {
        let pools = WorkerPools(configuration)
        let outcome = await handedOver { handOver in
            WorkerPool.starter.enqueue { pools.common.startFirst(handOver) }
        }
        try outcome.get()
        return CodecWorkers(configuration, pools)
    }

    private init(_ configuration: Configuration, _ pools: WorkerPools) {
        (self.configuration, self.pools) = (configuration, pools)
    }

    /// Returns the same codecs, run in these processes, with the transforms of the images that they decode.
    ///
    /// If the registry has decoders of the program's own, pass them to ``CodecWorker/run(codecs:)`` as well.
    /// Encoders and transforms of the program's own still run in the program. Every decoder counts as bounded
    /// (``CalotypeCodecs/ImageDecoder/isBounded``), because a worker that takes too long is killed. Therefore
    /// SVG, which has no decoder in process, is decoded too.
    public func codecs(_ registry: CodecRegistry) -> CodecRegistry {
        let (pools, maxDuration) = (pools, configuration.maxEncodeDuration)
        let transforms = WorkerTransforms(
            pool: pools[.transform],
            maxDuration: configuration.maxTransformDuration
        )
        var registry = registry
        if !registry.hasDecoder(for: .svg) { registry.register(SVGDecoder()) }
        return registry.placed(
            at: transforms,
            decoder: { WorkerDecoder(base: $0, formats: $0.formats, pool: pools[$0.formats]) },
            encoder: { $0.placed(in: pools, atMost: maxDuration) }
        )
    }

    /// True if the workers are fully sandboxed; always true unless ``Configuration/isBestEffort`` is set.
    public var isSandboxed: Bool { pools.common.locked?.isWhole ?? false }

    /// True if SVG workers can open fonts; without fonts, text is drawn as boxes.
    ///
    /// False if the kernel lacks Landlock, which limits file access to the fonts.
    public var readsFonts: Bool { pools.common.locked?.readsFonts ?? false }

    /// The missing sandbox features with their consequences, one per line; empty if the workers are fully
    /// sandboxed.
    ///
    /// Log or print them after the start: the library does not report them anywhere else.
    public var warnings: [String] { pools.common.locked?.warnings ?? [] }

    /// The sandbox features that are in force, on one line.
    public var sandboxSummary: String { pools.common.locked?.text ?? "" }

    /// A snapshot of the workers' counters.
    public var statistics: CodecWorkerStatistics { pools.statistics }

    /// The process IDs of idle workers, for reading their memory and processor time from the system.
    package var idleProcessIDs: [Int32] { pools.idleProcessIDs }
}
