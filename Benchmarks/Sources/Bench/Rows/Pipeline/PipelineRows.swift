/// Requests, with and without a network, and what they leave in memory.
enum PipelineRows {
    static let all = HitRows.all + CoalescingRows.all + ImageMemoryRows.all + CountRows.all
}
