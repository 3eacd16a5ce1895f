extension ImagePipeline {
    /// The workload of a pipeline.
    package struct Workload: Hashable, Sendable {
        /// Images in progress.
        package var runningCount = 0
        /// Images that wait for a permit.
        package var waitingCount = 0
        /// The estimated bytes of pixels held.
        package var heldByteCount = 0
        /// The limit for these bytes; `nil` without one.
        package var byteCountMax: Int?
        /// The maximum number of images in progress; `nil` without a gate.
        package var runningCountMax: Int?
        /// The maximum number of waiting images; `nil` without a gate.
        package var waitingCountMax: Int?
        /// Images started so far; 0 without a gate.
        package var startedCount = 0
        /// Images that have ended so far, with or without success.
        package var endedCount = 0
        /// Decodes started so far.
        package var decodeCount = 0
    }
}
