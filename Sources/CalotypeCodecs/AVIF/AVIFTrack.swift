import CalotypeCore

/// The timing of an AVIF sequence, which libavif 0.11 tells slowly (its cost grows with the square of the
/// frames) or not at all (how often it plays).
struct AVIFTrack {
    /// How long each frame is shown as stated, in the order of the file; some may be missing at the end.
    private(set) var durations: [Duration] = []
    /// What the edit list says; for ever where there is none, or where it does not say otherwise.
    private(set) var loopCount = LoopCount.infinite

    /// Reads the first track of AV1 that is no track of alpha; nothing where there is none.
    ///
    /// - Throws: `DecodeError`, with `limitExceeded` where a table has more entries than there may be
    ///   frames: libavif goes through them for every frame.
    init(boxes: [ISOBox], limits: DecodeLimits) throws(DecodeError) {
        let countMax = limits.frameCountMax
        for track in try ISOTrack.tracks(in: boxes, format: .avif, entryCountMax: countMax) {
            guard track.references[.auxiliaryOf] == nil, try track.description([.av1Image]) != nil else {
                continue
            }
            loopCount = track.loopCount
            guard track.ticksPerSecond > 0 else { return }
            durations = track.ticks(countMax: countMax).map { .seconds($0) / track.ticksPerSecond }
            return
        }
    }
}
