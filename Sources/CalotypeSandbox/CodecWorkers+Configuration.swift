internal import CalotypeSupport

extension CodecWorkers {
    /// What workers are started with, and what they may take.
    public struct Configuration: Sendable {
        /// The path of the executable, which calls ``CodecWorker/run(codecs:)``.
        public var executable: String

        /// What it is called with; nothing unless set.
        public var arguments: [String]

        /// The most workers of a kind; the number of cores unless set, at least 1.
        public var countMax: Int

        /// The most bytes of memory of a worker, with the pixels that it makes; 1 GiB unless set.
        ///
        /// A decode that takes more fails with `memoryExceeded`. Its address space may grow by twice that.
        public var memoryByteCountMax = 1 << 30

        /// The most bytes of memory of all workers together; `nil`, the default, for no bound.
        ///
        /// Above it workers are ended, those that wait for jobs first, then the largest: its job fails with
        /// `workerUnavailable`.
        public var allMemoryByteCountMax: Int?

        /// How long an encoder may take, with the frames of an animation; 120 s unless set.
        ///
        /// Waiting for a worker does not count.
        /// For decodes there is `DecodeLimits.durationMax`.
        public var encodeDurationMax = Duration.seconds(120)

        /// How long it may take to transform a picture; 60 s unless set.
        public var transformDurationMax = Duration.seconds(60)

        /// After how many jobs a worker is replaced by a new one; 1,000 unless set, at least 1.
        ///
        /// With 1 no picture is decoded where another has been.
        public var jobCountMax = 1_000

        /// By how many bytes a worker may have grown after a job before it is replaced; 64 MiB unless set.
        public var growthMax = 64 << 20

        /// The number of kinds of workers, each of which has up to ``countMax`` processes.
        public static var kindCount: Int { WorkerKind.allCases.count }

        /// Called with the reason each time a worker does not start, on a thread of the workers; `nil` unless
        /// set.
        public var startFailureHandler: (@Sendable (SandboxError) -> Void)?

        /// Whether workers work where the system does not lock them in as it should; false unless set.
        public var isBestEffort = false

        /// Creates a configuration; each default is stated at its property.
        ///
        /// - Parameters:
        ///   - executable: The path of the executable; `/proc/self/exe` is the program itself.
        ///   - arguments: What it is called with.
        ///   - countMax: The most workers.
        public init(executable: String, arguments: [String] = [], countMax: Int? = nil) {
            self.executable = executable
            self.arguments = arguments
            self.countMax = max(1, countMax ?? BlockingPool.coreCount)
        }
    }
}
