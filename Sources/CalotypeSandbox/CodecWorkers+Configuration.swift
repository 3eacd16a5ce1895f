internal import CalotypeSupport

extension CodecWorkers {
    /// The executable, limits and callbacks of codec workers.
    public struct Configuration: Sendable {
        /// The path of the worker executable, which calls ``CodecWorker/run(codecs:)``.
        public var executable: String

        /// The arguments of the executable; empty unless set.
        public var arguments: [String]

        /// The maximum number of workers of each kind, at least 1; the number of cores unless set.
        public var maxCount: Int

        /// The maximum memory of a worker in bytes, with the pixels that it decodes; 1 GiB unless set.
        ///
        /// A decode that uses more fails with `memoryExceeded`. The worker's address space may grow by twice
        /// this size.
        public var maxMemoryByteCount = 1 << 30

        /// The maximum memory of all workers together, in bytes; `nil`, the default, for no limit.
        ///
        /// Above the limit workers are terminated: idle workers first, then the largest. The job of a
        /// terminated worker fails with `workerUnavailable`.
        public var maxTotalMemoryByteCount: Int?

        /// The maximum duration of an encode, with the frames of an animation; 120 s unless set.
        ///
        /// Waiting for a worker does not count. `DecodeLimits.maxDuration` limits decodes.
        public var maxEncodeDuration = Duration.seconds(120)

        /// The maximum duration of a transform; 60 s unless set.
        public var maxTransformDuration = Duration.seconds(60)

        /// The number of jobs after which a worker is replaced, at least 1; 1,000 unless set.
        ///
        /// With 1 each image has a worker process of its own.
        public var maxJobCount = 1_000

        /// The growth in bytes, measured after a job, above which a worker is replaced; 64 MiB unless set.
        public var maxGrowth = 64 << 20

        /// The number of kinds of workers, each of which has up to ``maxCount`` processes.
        public static var kindCount: Int { WorkerKind.allCases.count }

        /// Called on a thread of the pool, with the error, each time a worker fails to start; `nil` unless
        /// set.
        public var startFailureHandler: (@Sendable (SandboxError) -> Void)?

        /// True if workers also run on systems that cannot sandbox them fully; false unless set.
        public var isBestEffort = false

        /// Creates a configuration; each default is stated at its property.
        ///
        /// - Parameters:
        ///   - executable: The path of the executable; `/proc/self/exe` is the program itself.
        ///   - arguments: The arguments of the executable.
        ///   - maxCount: The maximum number of workers of each kind; the number of cores if `nil`.
        public init(executable: String, arguments: [String] = [], maxCount: Int? = nil) {
            self.executable = executable
            self.arguments = arguments
            self.maxCount = max(1, maxCount ?? BlockingPool.coreCount)
        }
    }
}
