public import CalotypeCodecs
internal import CalotypeCore
internal import CalotypeSupport

/// Processes that decode and encode, locked in so that they can do nothing else.
///
/// ``codecs(_:)`` gives codecs that work there, for whatever takes a registry:
///
/// ```swift
/// let workers = try await CodecWorkers.start(.init(executable: "/usr/lib/my-worker"))
/// for warning in workers.warnings { print(warning) }
/// let cache = ImageCache(codecs: workers.codecs(.standard))
/// ```
///
/// Each job has a worker to itself. One that crashes, takes too long or too much, or breaks a rule, is
/// replaced, and only its own job fails. The processes end with the last reference, and with the program.
public final class CodecWorkers: Sendable {
    /// What they are started with.
    public let configuration: Configuration

    private let pools: WorkerPools

    /// Starts workers: waits for the first, and lets the others come.
    ///
    /// - Parameter configuration: What they are started with.
    /// - Returns: The workers.
    /// - Throws: ``SandboxError`` where the first does not start, or is not locked in as it should be.
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

    /// The same codecs, at work in these processes, and with them the transforms of what they decode.
    ///
    /// Where the registry has codecs of a program's own, ``CodecWorker/run(codecs:)`` has to have them too;
    /// its encoders and transforms of one's own work in the program. Every decoder is bounded there
    /// (``CalotypeCodecs/ImageDecoder/isBounded``), since it is killed where it takes too long. Therefore SVG
    /// is decoded too, which no registry has in process.
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

    /// Whether the system locks them in as it should; always, unless ``Configuration/isBestEffort`` is set.
    public var isLockedIn: Bool { pools.common.locked?.isWhole ?? false }

    /// Whether those that draw SVG can open fonts; without them letters are boxes.
    ///
    /// Not where the kernel has no Landlock, by which they may open fonts and nothing else.
    public var readsFonts: Bool { pools.common.locked?.readsFonts ?? false }

    /// What is missed where the system does not lock workers in as it should, a line each; none where it
    /// does.
    ///
    /// Nobody else tells it: to be logged, or shown to whoever runs the program, after the start.
    public var warnings: [String] { pools.common.locked?.warnings ?? [] }

    /// How far the workers are locked in, on one line.
    public var lockedText: String { pools.common.locked?.text ?? "" }

    /// What the workers do, and have done.
    public var statistics: Statistics { pools.statistics }

    /// The numbers that processes which wait for jobs have in the system: what they have taken can be read
    /// there.
    package var idleProcessIDs: [Int32] { pools.idleProcessIDs }

    /// Why a worker was lost in the midst of a job.
    public enum Loss: String, Hashable, Sendable, CaseIterable {
        /// It ended, made a call that is forbidden, or answered what cannot be.
        case crashed
        /// The job took too long, and did not end when it was told to.
        case timedOut
        /// The job took more memory than it may.
        case memoryExceeded
        /// Nobody waited for the job any more, and it did not end when it was told to.
        case cancelled
        /// It was ended from outside, also while it waited for a job, or since all workers together held too
        /// much memory.
        case killed
        /// It could not be reached, or there was no memory for it.
        case unavailable
    }

    /// What workers do, and have done.
    public struct Statistics: Hashable, Sendable {
        /// Processes that are there.
        public var processCount = 0
        /// Those that do a job.
        public var busyCount = 0
        /// Processes that have been started.
        public var startedCount = 0
        /// Jobs that have been begun.
        public var jobCount = 0
        /// Workers that were lost in the midst of a job, by the reason; those that were killed also while
        /// they waited for one.
        public var lossCounts: [Loss: Int] = [:]
        /// Bytes of memory of all workers together, as last counted: while they work, and behind each job.
        public var memoryByteCount = 0
        /// Workers that were replaced since they had done enough, or had grown.
        public var renewedCount = 0

        /// Jobs that ended by a worker that was lost.
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
