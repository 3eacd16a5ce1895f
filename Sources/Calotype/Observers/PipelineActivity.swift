internal import CalotypeCache
internal import CalotypeCodecs
public import CalotypeLoading
internal import CalotypeSupport

/// What a pipeline is doing at one moment, for gauges: nothing in it is a sum over time.
public struct PipelineActivity: Hashable, Sendable {
    /// Loads that a loader has been asked for and that have not come whole, those in its own queue included.
    public var loadCount: Int
    /// What the loader runs and what waits in its queue, for each origin too.
    public var loader: LoaderActivity
    /// Decodes, transforms and encodes that run.
    public var codecCount: Int
    /// Those that wait for a thread.
    public var waitingCodecCount: Int
    /// Decodes that have not ended though their time is up, each holding a thread.
    public var stuckDecodeCount: Int
    /// The bytes of bodies that have not been decoded, of
    /// ``ImagePipeline/Configuration/byteCountInFlightMax``.
    public var undecodedByteCount: Int
    /// The bytes that wait to be written, of the same.
    public var unwrittenByteCount: Int
    /// Bodies that wait for room in it.
    public var waitingBodyCount: Int
}

extension ImagePipeline {
    /// What it is doing at the moment; takes some locks for an instant each.
    public var activity: PipelineActivity {
        PipelineActivity(
            loadCount: loadCount.withLock(\.self),
            loader: configuration.loader.activity,
            codecCount: stages.codecCount,
            waitingCodecCount: stages.waitingCodecCount,
            stuckDecodeCount: codecPool.stuckCount,
            undecodedByteCount: stages.fetching.heldByteCount,
            unwrittenByteCount: stages.writing.heldByteCount,
            waitingBodyCount: stages.fetching.waitingCount
        )
    }
}

extension ImagePipeline {
    /// The bytes of the encoded images in memory, and the most that there may be.
    package var encodedMemoryLevel: (cost: Int, limit: Int) {
        (encodedMemory.statistics.cost, configuration.encodedCostLimit)
    }

    /// The encoded images that have left memory since the limits were reached.
    package var encodedEvictionCount: Int { encodedMemory.statistics.evictionCount }
}
