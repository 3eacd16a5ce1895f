import CalotypeCore
import CalotypeSupport
import FoundationEssentials

/// The positions, the display order and the durations of a track's samples (ISO/IEC 14496-12 sections 8.6 and
/// 8.7).
struct ISOSamples {
    /// The range of each sample in the file, in decoding order.
    private(set) var ranges: [Range<Int>] = []
    private(set) var frames: [Int] = []
    /// The sample of each frame, in display order.
    private(set) var samples: [Int] = []
    /// The duration of each frame in ticks; 0 if not stated.
    private(set) var ticks: [Int] = []
    /// The frames from which decoding can start, in order; always includes 0.
    private(set) var keyFrames: [Int] = []

    /// Later than any moment in a file, and far from integer overflow.
    private static let maxTime = 1 << 52

    private let track: ISOTrack

    /// Reads the tables of a track.
    ///
    /// - Throws: `DecodeError` if they are inconsistent, do not match the file, or exceed the limits.
    init(_ track: ISOTrack, fileByteCount: Int, limits: DecodeLimits) throws(DecodeError) {
        self.track = track
        let sizes = try readSizes(limits)
        ranges = try places(of: sizes, offsets: readOffsets())
        if let last = ranges.max(by: { $0.upperBound < $1.upperBound }), last.upperBound > fileByteCount {
            throw DecodeError(
                .truncated,
                format: track.format,
                detail: "a sample ends at byte \(last.upperBound) of \(fileByteCount)"
            )
        }
        try orderFrames()
        try readKeyFrames()
    }

    /// The maximum number of pictures that are decoded before they are shown.
    var delay: Int {
        var (last, delay) = (0, 0)
        for (frame, sample) in samples.enumerated() {
            last = max(last, sample)
            delay = max(delay, last - frame)
        }
        return delay
    }

    // MARK: - Places

    private func table(_ type: ISOBoxType) -> ISOFullBox? {
        track.tables[type].flatMap { ISOFullBox($0) }
    }

    private func corrupt(_ type: ISOBoxType) -> DecodeError {
        DecodeError(.corrupt, format: track.format, detail: "the box \(type) does not match the samples")
    }

    private func readSizes(_ limits: DecodeLimits) throws(DecodeError) -> [Int] {
        guard var box = table(.sampleSizes) else {
            throw DecodeError(.unsupportedFeature, format: track.format, detail: "a track without a box stsz")
        }
        guard let each = box.integer(byteCount: 4), let count = box.integer(byteCount: 4) else {
            throw corrupt(.sampleSizes)
        }
        var sizes: [Int] = []
        var byteCount = 0
        for _ in 0..<count {
            guard let size = each > 0 ? each : box.integer(byteCount: 4), size > 0 else {
                throw corrupt(.sampleSizes)
            }
            sizes.append(size)
            byteCount += size
            guard byteCount <= limits.maxByteCount else {
                throw DecodeError(
                    .limitExceeded,
                    format: track.format,
                    detail: "samples of more than \(limits.maxByteCount) bytes"
                )
            }
        }
        return sizes
    }

    private func readOffsets() throws(DecodeError) -> [Int] {
        let type = track.tables[.chunkOffsets] == nil ? ISOBoxType.longChunkOffsets : .chunkOffsets
        guard var box = table(type), let count = box.integer(byteCount: 4) else { throw corrupt(type) }
        var offsets: [Int] = []
        for _ in 0..<count {
            // Small enough for adding sizes without overflow.
            guard let offset = box.integer(byteCount: type == .chunkOffsets ? 4 : 8), offset < Self.maxTime
            else { throw corrupt(type) }
            offsets.append(offset)
        }
        return offsets
    }

    /// Computes the positions chunk by chunk, with the number of samples of each run.
    private func places(of sizes: [Int], offsets: [Int]) throws(DecodeError) -> [Range<Int>] {
        guard var box = table(.chunkRuns), let runCount = box.integer(byteCount: 4) else {
            throw corrupt(.chunkRuns)
        }
        var runs: [(firstChunk: Int, sampleCount: Int)] = []
        for _ in 0..<runCount {
            guard let first = box.integer(byteCount: 4), let samples = box.integer(byteCount: 4),
                box.integer(byteCount: 4) == 1, samples > 0, first > runs.last?.firstChunk ?? 0
            else { throw corrupt(.chunkRuns) }
            runs.append((first, samples))
        }
        var ranges: [Range<Int>] = []
        var run = -1
        for (chunk, offset) in offsets.enumerated() {
            if run + 1 < runs.count, runs[run + 1].firstChunk == chunk + 1 { run += 1 }
            guard run >= 0 else { throw corrupt(.chunkRuns) }
            var start = offset
            for size in sizes[ranges.count...].prefix(runs[run].sampleCount) {
                ranges.append(start..<start + size)
                start += size
            }
        }
        guard ranges.count == sizes.count else { throw corrupt(.chunkRuns) }
        return ranges
    }

    // MARK: - Times

    /// Orders frames by their composition times.
    private mutating func orderFrames() throws(DecodeError) {
        let count = ranges.count
        var stated = track.ticks(maxCount: count)
        stated += repeatElement(0, count: count - stated.count)
        var times: [Int] = []
        var time = 0
        for (ticks, offset) in zip(stated, try readOffsetsOfTimes()) {
            times.append(time + offset)
            time = min(time + ticks, Self.maxTime)
        }
        samples = (0..<count).sorted { (times[$0], $0) < (times[$1], $1) }
        frames = Array(repeating: 0, count: count)
        for (frame, sample) in samples.enumerated() { frames[sample] = frame }
        ticks = samples.indices.map { frame in
            guard frame + 1 < count else { return stated[samples[frame]] }
            return times[samples[frame + 1]] - times[samples[frame]]
        }
    }

    /// Reads the composition offset of each sample; 0 by default.
    private func readOffsetsOfTimes() throws(DecodeError) -> [Int] {
        let sampleCount = ranges.count
        var offsets: [Int] = []
        if var box = table(.compositionTimes) {
            guard let count = box.integer(byteCount: 4) else { throw corrupt(.compositionTimes) }
            for _ in 0..<count {
                guard let samples = box.integer(byteCount: 4), let offset = box.reader.bigEndian(UInt32.self)
                else { throw corrupt(.compositionTimes) }
                // Version 0 is unsigned, but is also written with signs.
                let signed = Int(Int32(bitPattern: offset))
                offsets += repeatElement(signed, count: min(samples, sampleCount - offsets.count))
            }
        }
        return offsets + repeatElement(0, count: sampleCount - offsets.count)
    }

    /// Reads the key frames; every sample is one by default.
    ///
    /// A key frame requires that all frames shown after it are also decoded after it.
    private mutating func readKeyFrames() throws(DecodeError) {
        var isSync = Array(repeating: true, count: ranges.count)
        if var box = table(.syncSamples) {
            guard let count = box.integer(byteCount: 4) else { throw corrupt(.syncSamples) }
            isSync = Array(repeating: false, count: ranges.count)
            for _ in 0..<count {
                guard let number = box.integer(byteCount: 4), isSync.indices.contains(number - 1) else {
                    throw corrupt(.syncSamples)
                }
                isSync[number - 1] = true
            }
        }
        var lastShown = -1
        for (sample, frame) in frames.enumerated() {
            if isSync[sample], frame > lastShown { keyFrames.append(frame) }
            lastShown = max(lastShown, frame)
        }
        if keyFrames.first != 0 { keyFrames.insert(0, at: 0) }
    }
}
