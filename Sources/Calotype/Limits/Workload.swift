extension ImagePipeline {
    /// The workload of a pipeline.
    public struct Workload: Hashable, Sendable {
        /// Images in progress.
        public var runningCount = 0
        /// Images that wait for a permit.
        public var waitingCount = 0
        /// The estimated bytes of pixels held.
        public var heldByteCount = 0
        /// The limit for these bytes; `nil` without one.
        public var maxByteCount: Int?
        /// The maximum number of images in progress; `nil` without a gate.
        public var maxRunningCount: Int?
        /// The maximum number of waiting images; `nil` without a gate.
        public var maxWaitingCount: Int?
        /// Images started so far; 0 without a gate.
        public var startedCount = 0
        /// Images that have ended so far, with or without success.
        public var endedCount = 0
        /// Decodes started so far.
        public var decodeCount = 0

        package static let idle = Workload()
    }
}
