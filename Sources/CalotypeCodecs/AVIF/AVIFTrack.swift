import CalotypeCore
import CalotypeSupport
import FoundationEssentials

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
        var isFound = false
        for movie in boxes where movie.type == .movie {
            for box in try Self.children(movie) where box.type == ISOBoxType("trak") {
                let track = try Track(box, entryCountMax: limits.frameCountMax)
                guard !isFound, track.isImage else { continue }
                isFound = true
                durations = track.durations(countMax: limits.frameCountMax)
                loopCount = track.loopCount
            }
        }
    }

    fileprivate static func children(_ box: ISOBox) throws(DecodeError) -> [ISOBox] {
        try ISOBox.boxes(in: box.payload, format: .avif)
    }
}

/// What the boxes of one track say.
private struct Track {
    /// So many frames of so many ticks each.
    private var runs: [(count: Int, ticks: Int)] = []
    private var ticksPerSecond = 0
    private var isAlpha = false
    private var isAV1 = false
    /// In ticks of the movie.
    private var duration: UInt64?
    private var segmentDuration: UInt64?
    private var isRepeated = false

    var isImage: Bool { isAV1 && !isAlpha }

    init(_ box: ISOBox, entryCountMax: Int) throws(DecodeError) {
        for child in try AVIFTrack.children(box) {
            switch child.type {
            case ISOBoxType("tkhd"): readHeader(child.payload)
            case ISOBoxType("tref"):
                isAlpha = try AVIFTrack.children(child).contains { $0.type == ISOBoxType("auxl") }
            case ISOBoxType("edts"):
                for list in try AVIFTrack.children(child) where list.type == ISOBoxType("elst") {
                    readEdits(list.payload)
                }
            case ISOBoxType("mdia"): try readMedia(child, entryCountMax: entryCountMax)
            default: break
            }
        }
    }

    /// ISO/IEC 14496-12 section 8.3.2.
    private mutating func readHeader(_ payload: Data) {
        guard var box = ISOFullBox(payload) else { return }
        let isLong = box.version == 1
        guard box.reader.bytes(isLong ? 24 : 16) != nil else { return }
        duration =
            isLong ? box.reader.bigEndian(UInt64.self) : box.reader.bigEndian(UInt32.self).map { UInt64($0) }
        if !isLong, duration == UInt64(UInt32.max) { duration = .max }
    }

    /// Section 8.6.6; with flag 1 the one edit is repeated until the track's duration is over.
    private mutating func readEdits(_ payload: Data) {
        guard var box = ISOFullBox(payload), box.integer(byteCount: 4) == 1 else { return }
        isRepeated = box.flags & 1 == 1
        segmentDuration =
            box.version == 1
            ? box.reader.bigEndian(UInt64.self) : box.reader.bigEndian(UInt32.self).map { UInt64($0) }
    }

    private mutating func readMedia(_ media: ISOBox, entryCountMax: Int) throws(DecodeError) {
        for child in try AVIFTrack.children(media) {
            if child.type == ISOBoxType("mdhd"), var box = ISOFullBox(child.payload) {
                guard box.reader.bytes(box.version == 1 ? 16 : 8) != nil else { continue }
                ticksPerSecond = box.integer(byteCount: 4) ?? 0
            }
            guard child.type == ISOBoxType("minf") else { continue }
            for table in try AVIFTrack.children(child) where table.type == ISOBoxType("stbl") {
                try readTables(table, entryCountMax: entryCountMax)
            }
        }
    }

    private mutating func readTables(_ table: ISOBox, entryCountMax: Int) throws(DecodeError) {
        let counted = ["stts", "stsc", "stco", "co64", "stss", "stsz", "ctts"].map { ISOBoxType($0) }
        for box in try AVIFTrack.children(table) {
            if box.type == ISOBoxType("stsd") { isAV1 = try Self.describesAV1(box.payload) }
            guard counted.contains(box.type), var entries = ISOFullBox(box.payload) else { continue }
            if box.type == ISOBoxType("stsz") { _ = entries.integer(byteCount: 4) }
            let count = entries.integer(byteCount: 4) ?? 0
            guard count <= entryCountMax else {
                throw DecodeError(
                    .limitExceeded,
                    format: .avif,
                    detail: "\(count) entries in \(box.type), the limit is \(entryCountMax) frames"
                )
            }
            if box.type == ISOBoxType("stts") { readRuns(&entries, count: count) }
        }
    }

    private static func describesAV1(_ payload: Data) throws(DecodeError) -> Bool {
        let entries = try ISOBox.boxes(in: payload.dropFirst(8), format: .avif)
        return entries.contains { $0.type == ISOBoxType("av01") }
    }

    private mutating func readRuns(_ entries: inout ISOFullBox, count: Int) {
        for _ in 0..<count {
            guard let frames = entries.integer(byteCount: 4), let ticks = entries.integer(byteCount: 4) else {
                return
            }
            runs.append((frames, ticks))
        }
    }

    func durations(countMax: Int) -> [Duration] {
        guard ticksPerSecond > 0 else { return [] }
        var durations: [Duration] = []
        for run in runs {
            let duration = Duration.seconds(run.ticks) / ticksPerSecond
            durations += repeatElement(duration, count: min(run.count, countMax - durations.count))
        }
        return durations
    }

    var loopCount: LoopCount {
        guard let segmentDuration, segmentDuration > 0, let duration else { return .infinite }
        guard isRepeated else { return .times(1) }
        guard duration != .max else { return .infinite }
        let (whole, rest) = duration.quotientAndRemainder(dividingBy: segmentDuration)
        return .times(max(1, Int(clamping: rest == 0 ? whole : whole + 1)))
    }
}
