import CalotypeCore
import CalotypeSupport
import FoundationEssentials

/// The header boxes of a track (ISO/IEC 14496-12 section 8.3): its identity, its orientation and its timing.
///
/// Other tables are stored without parsing.
struct ISOTrack {
    let format: ImageFormat
    private(set) var identifier = 0
    /// The type of the track, `pict` or `vide` for images.
    private(set) var handler = ISOBoxType(rawValue: 0)
    private(set) var orientation = Orientation.up
    private(set) var references: [ISOBoxType: [Int]] = [:]
    private(set) var tables: [ISOBoxType: Data] = [:]
    private(set) var ticksPerSecond = 0
    private var duration: UInt64?
    private var segmentDuration: UInt64?
    private var isRepeated = false

    /// Reads all tracks of a file, in their order.
    ///
    /// - Throws: `DecodeError`, with `limitExceeded` if a table has more entries than the limit of frames.
    static func tracks(
        in boxes: [ISOBox],
        format: ImageFormat,
        maxEntryCount: Int
    ) throws(DecodeError) -> [ISOTrack] {
        var tracks: [ISOTrack] = []
        for movie in boxes where movie.type == .movie {
            for box in try ISOBox.boxes(in: movie.payload, format: format) where box.type == .track {
                tracks.append(try ISOTrack(box, format: format, maxEntryCount: maxEntryCount))
            }
        }
        return tracks
    }

    private init(_ box: ISOBox, format: ImageFormat, maxEntryCount: Int) throws(DecodeError) {
        self.format = format
        for child in try ISOBox.boxes(in: box.payload, format: format) {
            switch child.type {
            case ISOBoxType("tkhd"): readHeader(child.payload)
            case ISOBoxType("tref"): try readReferences(child.payload)
            case ISOBoxType("edts"):
                for list in try children(child) where list.type == ISOBoxType("elst") {
                    readEdits(list.payload)
                }
            case ISOBoxType("mdia"): try readMedia(child, maxEntryCount: maxEntryCount)
            default: break
            }
        }
    }

    private func children(_ box: ISOBox) throws(DecodeError) -> [ISOBox] {
        try ISOBox.boxes(in: box.payload, format: format)
    }

    /// Reads a track header, section 8.3.2.
    private mutating func readHeader(_ payload: Data) {
        guard var box = ISOFullBox(payload) else { return }
        let isLong = box.version == 1
        guard box.reader.bytes(isLong ? 16 : 8) != nil, let identifier = box.integer(byteCount: 4),
            box.reader.bytes(4) != nil
        else { return }
        self.identifier = identifier
        duration =
            isLong ? box.reader.bigEndian(UInt64.self) : box.reader.bigEndian(UInt32.self).map { UInt64($0) }
        let endless = isLong ? UInt64(Int64.max) : UInt64(Int32.max)
        if let stated = duration, [endless, 2 * endless + 1].contains(stated) { duration = .max }
        guard box.reader.bytes(16) != nil else { return }
        let words = (0..<9).compactMap { _ in box.reader.bigEndian(UInt32.self) }
        guard words.count == 9 else { return }
        let matrix = words.map { Int32(bitPattern: $0) }
        orientation = Self.orientation([matrix[0], matrix[1], matrix[3], matrix[4]])
    }

    /// Returns the orientation of a matrix that only turns and mirrors; other matrices are ignored.
    ///
    /// `matrix` has, in units of 1/65536, the horizontal and vertical direction of the stored picture's right
    /// side, then those of its bottom.
    private static func orientation(_ matrix: [Int32]) -> Orientation {
        let one: Int32 = 1 << 16
        switch matrix {
        case [-one, 0, 0, one]: return .upMirrored
        case [-one, 0, 0, -one]: return .down
        case [one, 0, 0, -one]: return .downMirrored
        case [0, one, one, 0]: return .leftMirrored
        case [0, one, -one, 0]: return .right
        case [0, -one, -one, 0]: return .rightMirrored
        case [0, -one, one, 0]: return .left
        default: return .up
        }
    }

    /// Reads references, section 8.3.3.
    private mutating func readReferences(_ payload: Data) throws(DecodeError) {
        for box in try ISOBox.boxes(in: payload, format: format) {
            var reader = ByteReader(box.payload)
            while let identifier = reader.bigEndian(UInt32.self) {
                references[box.type, default: []].append(Int(identifier))
            }
        }
    }

    /// Reads the edit list, section 8.6.6; with flag 1 the one edit repeats until the end of the track.
    private mutating func readEdits(_ payload: Data) {
        guard var box = ISOFullBox(payload), box.integer(byteCount: 4) == 1 else { return }
        isRepeated = box.flags & 1 == 1
        segmentDuration =
            box.version == 1
            ? box.reader.bigEndian(UInt64.self) : box.reader.bigEndian(UInt32.self).map { UInt64($0) }
    }

    private mutating func readMedia(_ media: ISOBox, maxEntryCount: Int) throws(DecodeError) {
        for child in try children(media) {
            switch child.type {
            case ISOBoxType("mdhd"):
                guard var box = ISOFullBox(child.payload),
                    box.reader.bytes(box.version == 1 ? 16 : 8) != nil
                else { continue }
                ticksPerSecond = box.integer(byteCount: 4) ?? 0
            case ISOBoxType("hdlr"):
                guard var box = ISOFullBox(child.payload), box.reader.bytes(4) != nil,
                    let type = box.reader.bigEndian(UInt32.self)
                else { continue }
                handler = ISOBoxType(rawValue: type)
            case ISOBoxType("minf"):
                for table in try children(child) where table.type == ISOBoxType("stbl") {
                    try readTables(table, maxEntryCount: maxEntryCount)
                }
            default: break
            }
        }
    }

    private mutating func readTables(_ table: ISOBox, maxEntryCount: Int) throws(DecodeError) {
        let counted: [ISOBoxType] = [
            .times, .compositionTimes, .syncSamples, .sampleSizes, .chunkRuns, .chunkOffsets,
            .longChunkOffsets,
        ]
        for box in try children(table) {
            if tables[box.type] == nil { tables[box.type] = box.payload }
            guard counted.contains(box.type), var entries = ISOFullBox(box.payload) else { continue }
            if box.type == .sampleSizes { _ = entries.integer(byteCount: 4) }
            let count = entries.integer(byteCount: 4) ?? 0
            guard count <= maxEntryCount else {
                throw DecodeError(
                    .limitExceeded,
                    format: format,
                    detail: "\(count) entries in \(box.type), the limit is \(maxEntryCount) frames"
                )
            }
        }
    }

    // MARK: - Table contents

    /// Returns the first sample description of one of some types.
    func description(_ types: [ISOBoxType]) throws(DecodeError) -> ISOBox? {
        guard let table = tables[.descriptions] else { return nil }
        return try ISOBox.boxes(in: table.dropFirst(8), format: format).first { types.contains($0.type) }
    }

    /// Returns the stated duration of each sample in ticks, in their order; some may be missing at the end.
    func ticks(maxCount: Int) -> [Int] {
        guard let table = tables[.times], var box = ISOFullBox(table), let count = box.integer(byteCount: 4)
        else { return [] }
        var ticks: [Int] = []
        for _ in 0..<count {
            guard let samples = box.integer(byteCount: 4), let each = box.integer(byteCount: 4) else { break }
            ticks += repeatElement(each, count: min(samples, maxCount - ticks.count))
        }
        return ticks
    }

    /// The loop count of the edit list; infinite without one, without an end, and beyond ``maxPlayCount``:
    /// writers mark an endless track by the largest number, signed or not.
    var loopCount: LoopCount {
        guard let segmentDuration, segmentDuration > 0, let duration else { return .infinite }
        guard isRepeated else { return .times(1) }
        guard duration != .max else { return .infinite }
        let (whole, rest) = duration.quotientAndRemainder(dividingBy: segmentDuration)
        let plays = rest == 0 ? whole : whole + 1
        return plays > Self.maxPlayCount ? .infinite : .times(max(1, Int(plays)))
    }

    /// The maximum loop count of other formats.
    private static let maxPlayCount = UInt64(UInt32.max)
}

extension ISOBoxType {
    static let track = ISOBoxType("trak")
    static let auxiliaryOf = ISOBoxType("auxl")
    static let descriptions = ISOBoxType("stsd")
    static let times = ISOBoxType("stts")
    static let compositionTimes = ISOBoxType("ctts")
    static let syncSamples = ISOBoxType("stss")
    static let sampleSizes = ISOBoxType("stsz")
    static let chunkRuns = ISOBoxType("stsc")
    static let chunkOffsets = ISOBoxType("stco")
    static let longChunkOffsets = ISOBoxType("co64")
}
