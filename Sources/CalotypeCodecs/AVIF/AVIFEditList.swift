import CalotypeCore
import CalotypeSupport
import FoundationEssentials

/// Writes the loop count of a sequence into a file of libavif, which cannot before version 1.0: an edit list
/// in each track (ISO/IEC 14496-12 section 8.6.6).
struct AVIFEditList {
    private var bytes: [UInt8]
    private let plays: UInt64

    /// Returns the file with edit lists; unchanged if it has no tracks, or the loop count cannot be stated.
    static func adding(_ loopCount: LoopCount, to file: Data) -> Data {
        guard case .times(let count) = loopCount, count > 0, count <= Int(UInt32.max) else { return file }
        var list = AVIFEditList(bytes: [UInt8](file), plays: UInt64(count))
        return list.add() ? Data(list.bytes) : file
    }

    private struct Box {
        let type: ISOBoxType
        let start: Int
        let content: Range<Int>
    }

    /// A full box of version 1 with one edit.
    private static let byteCount = 12 + 4 + 20 + 8

    /// The number of added bytes: a list for the colours, and one for the alpha.
    static let maxByteCount = UInt64(2 * byteCount)

    private mutating func add() -> Bool {
        let top = boxes(in: bytes.indices)
        guard let movie = top.first(where: { $0.type == .movie }) else { return false }
        let tracks = boxes(in: movie.content).filter { $0.type == .track }
        let headers = tracks.compactMap { track in
            boxes(in: track.content).first { $0.type == ISOBoxType("tkhd") }
        }
        guard !tracks.isEmpty, headers.count == tracks.count else { return false }
        let added = tracks.count * Self.byteCount
        movePlaces(top, movie, behind: movie.content.upperBound, by: added)
        var longest: UInt64 = 0
        // From the last track on, so that earlier offsets stay valid.
        for (track, header) in zip(tracks, headers).reversed() {
            guard let once = duration(header), let all = multiplied(once) else { return false }
            longest = max(longest, all)
            setDuration(all, of: header)
            setSize(of: track, adding: Self.byteCount)
            bytes.insert(
                contentsOf: Self.edit(of: once, isRepeated: plays > 1),
                at: header.content.upperBound
            )
        }
        setSize(of: movie, adding: added)
        if let header = boxes(in: movie.content).first(where: { $0.type == ISOBoxType("mvhd") }) {
            setDuration(longest, of: header)
        }
        return true
    }

    private func multiplied(_ once: UInt64) -> UInt64? {
        let (all, overflows) = once.multipliedReportingOverflow(by: plays)
        return overflows || once == 0 || all >= UInt64(Int64.max) ? nil : all
    }

    private static func edit(of duration: UInt64, isRepeated: Bool) -> [UInt8] {
        let list =
            big(36, 4) + Array("elst".utf8) + [1, 0, 0]
            + [isRepeated ? 1 : 0]
        return big(UInt64(byteCount), 4) + Array("edts".utf8) + list + big(1, 4) + big(duration, 8)
            + big(0, 8)
            + [0, 1, 0, 0]
    }

    private static func big(_ value: UInt64, _ byteCount: Int) -> [UInt8] {
        (0..<byteCount).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }

    // MARK: - Boxes

    private func boxes(in range: Range<Int>) -> [Box] {
        var (boxes, start): ([Box], Int) = ([], range.lowerBound)
        while start + 8 <= range.upperBound {
            let size = Int(integer(at: start, 4))
            guard size >= 8, start + size <= range.upperBound else { break }
            let type = ISOBoxType(rawValue: UInt32(integer(at: start + 4, 4)))
            boxes.append(Box(type: type, start: start, content: start + 8..<start + size))
            start += size
        }
        return boxes
    }

    private func integer(at place: Int, _ byteCount: Int) -> UInt64 {
        bytes[place..<place + byteCount].reduce(0) { $0 << 8 | UInt64($1) }
    }

    private mutating func set(_ value: UInt64, at place: Int, _ byteCount: Int) {
        bytes.replaceSubrange(place..<place + byteCount, with: Self.big(value, byteCount))
    }

    private mutating func setSize(of box: Box, adding count: Int) {
        set(integer(at: box.start, 4) + UInt64(count), at: box.start, 4)
    }

    /// Returns the offset and the size of the duration in the header of a track or of the movie.
    private func durationPlace(_ header: Box) -> (place: Int, byteCount: Int) {
        let isLong = bytes[header.content.lowerBound] == 1
        // The movie header has ticks instead of the track's identifier and zeros.
        let words = header.type == ISOBoxType("mvhd") ? 4 : 8
        return (header.content.lowerBound + 4 + (isLong ? 16 : 8) + words, isLong ? 8 : 4)
    }

    private func duration(_ header: Box) -> UInt64? {
        let (place, byteCount) = durationPlace(header)
        guard place + byteCount <= header.content.upperBound else { return nil }
        return integer(at: place, byteCount)
    }

    private mutating func setDuration(_ duration: UInt64, of header: Box) {
        let (place, byteCount) = durationPlace(header)
        guard place + byteCount <= header.content.upperBound else { return }
        set(byteCount == 4 ? min(duration, UInt64(UInt32.max)) : duration, at: place, byteCount)
    }

    // MARK: - Offsets in the file

    /// Moves the offsets of everything behind a position.
    private mutating func movePlaces(_ top: [Box], _ movie: Box, behind end: Int, by count: Int) {
        for track in boxes(in: movie.content) where track.type == .track {
            let path = ["mdia", "minf", "stbl", "stco"].map { ISOBoxType($0) }
            let table = path.reduce(Box?.some(track)) { box, type in
                box.flatMap { boxes(in: $0.content).first { $0.type == type } }
            }
            guard let table else { continue }
            let first = table.content.lowerBound + 8
            for index in 0..<Int(integer(at: first - 4, 4)) {
                move(first + index * 4, behind: end, by: count)
            }
        }
        guard let meta = top.first(where: { $0.type == .meta }) else { return }
        let children = boxes(in: meta.content.lowerBound + 4..<meta.content.upperBound)
        if let places = children.first(where: { $0.type == ISOBoxType("iloc") }) {
            moveItems(places.content, behind: end, by: count)
        }
    }

    /// Moves the offsets of items as libavif writes them: version 0, offsets and lengths of four bytes, no
    /// base.
    private mutating func moveItems(_ content: Range<Int>, behind end: Int, by count: Int) {
        var place = content.lowerBound
        guard integer(at: place, 4) == 0, integer(at: place + 4, 2) == 0x4400 else { return }
        let itemCount = Int(integer(at: place + 6, 2))
        place += 8
        for _ in 0..<itemCount {
            let extentCount = Int(integer(at: place + 4, 2))
            place += 6
            for _ in 0..<extentCount {
                move(place, behind: end, by: count)
                place += 8
            }
        }
    }

    private mutating func move(_ place: Int, behind end: Int, by count: Int) {
        let offset = integer(at: place, 4)
        if offset >= UInt64(end) { set(offset + UInt64(count), at: place, 4) }
    }
}
