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
        let (pools, durationMax) = (pools, configuration.encodeDurationMax)
        let transforms = WorkerTransforms(
            pool: pools[.transform],
            durationMax: configuration.transformDurationMax
        )
        var registry = registry
        if !registry.hasDecoder(for: .svg) { registry.register(SVGDecoder()) }
        return registry.placed(
            at: transforms,
            decoder: { WorkerDecoder(base: $0, formats: $0.formats, pool: pools[$0.formats]) },
            encoder: { $0.placed(in: pools, atMost: durationMax) }
        )
    }

    /// True if the workers are fully sandboxed; always true unless ``Configuration/isBestEffort`` is set.
    public var isLockedIn: Bool { pools.common.locked?.isWhole ?? false }

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
    public var lockedText: String { pools.common.locked?.text ?? "" }

    /// A snapshot of the workers' counters.
    public var statistics: Statistics { pools.statistics }

    /// The process IDs of idle workers, for reading their memory and processor time from the system.
    package var idleProcessIDs: [Int32] { pools.idleProcessIDs }

    /// The reason a worker was lost.
    public enum Loss: String, Hashable, Sendable, CaseIterable {
        /// The worker exited, made a forbidden system call, or sent an invalid response.
        case crashed
        /// The job exceeded its time limit and did not stop when asked to.
        case timedOut
        /// The job exceeded the memory limit.
        case memoryExceeded
        /// The job was cancelled and did not stop when asked to.
        case cancelled
        /// The worker was killed from outside, busy or idle, or because all workers together used too much
        /// memory.
        case killed
        /// The worker could not be reached, or there was not enough memory for the job.
        case unavailable
    }

    /// Counters of codec workers.
    public struct Statistics: Hashable, Sendable {
        /// Running worker processes.
        public var processCount = 0
        /// Workers that run a job.
        public var busyCount = 0
        /// Processes started so far.
        public var startedCount = 0
        /// Jobs started so far.
        public var jobCount = 0
        /// Lost workers by reason.
        ///
        /// `killed` also counts idle workers.
        public var lossCounts: [Loss: Int] = [:]
        /// Memory of all workers in bytes, last measured while they work and after each job.
        public var memoryByteCount = 0
        /// Workers replaced because of their job count or growth.
        public var renewedCount = 0

        /// The total number of lost workers.
        public var lostCount: Int { lossCounts.values.reduce(0, +) }

        static func + (left: Statistics, right: Statistics) -> Statistics {
            var sum = left
            sum.processCount += right.processCount
            sum.busyCount += right.busyCount
            sum.startedCount += right.startedCount
            sum.jobCount += right.jobCount
            sum.lossCounts.merge(right.lossCounts, uniquingKeysWith: +)
            sum.renewedCount += right.renewedCount
            return sum
        }
    }
}
