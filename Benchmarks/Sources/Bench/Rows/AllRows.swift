/// Every row, in the order in which they are run.
enum AllRows {
    static let rows =
        MemoryRows.all + HitRatioRows.all + DiskRows.all + CodecRows.all + SandboxRows.all
        + PipelineRows.all + networkRows

    /// Measurements of rows that run in processes of their own.
    static let probes = ImageMemoryRows.probes + networkProbes
}
