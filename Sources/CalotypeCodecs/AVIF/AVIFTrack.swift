import CalotypeCore

/// The timing of an AVIF sequence, which libavif 0.11 reports slowly (quadratic in the number of frames) or
/// not at all (the loop count).
struct AVIFTrack {
    /// The stated duration of each frame, in file order; some may be missing at the end.
    private(set) var durations: [Duration] = []
    /// The loop count of the edit list; infinite without one, or if it does not state an end.
    private(set) var loopCount = LoopCount.infinite

    /// Reads the first AV1 track that is not alpha; the result is empty without one.
    ///
    /// - Throws: `DecodeError`, with `limitExceeded` if a table has more entries than the limit of frames:
    ///   libavif scans them for every frame.
    init(boxes: [ISOBox], limits: DecodeLimits) throws(DecodeError) {
        let maxCount = limits.maxListedFrameCount
        for track in try ISOTrack.tracks(in: boxes, format: .avif, maxEntryCount: maxCount) {
            guard track.references[.auxiliaryOf] == nil, try track.description([.av1Image]) != nil else {
                continue
            }
            loopCount = track.loopCount
            guard track.ticksPerSecond > 0 else { return }
            durations = track.ticks(maxCount: maxCount).map { .seconds($0) / track.ticksPerSecond }
            return
        }
    }
}
