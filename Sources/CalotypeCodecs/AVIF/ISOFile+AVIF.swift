import CalotypeCore
import CalotypeSupport
import FoundationEssentials

/// Rewrites valid files that libavif 0.11 rejects or misreads into a form that it accepts.
extension ISOFile {
    /// Returns the file for libavif.
    ///
    /// Tracks that are neither images nor alpha become free space: libavif would treat sound as a track of
    /// images without a size, and any auxiliary track as alpha. Several boxes of property associations are
    /// merged into one. A last box without a size gets one.
    func forLibAVIF() throws(DecodeError) -> ISOFile {
        var patches = [sizeOfLast].compactMap { $0 }
        for movie in boxes where movie.type == .movie {
            for track in ISOBox.wholeBoxes(in: movie.payload) where track.type == .track {
                if !Self.isShown(track) { patches += hiding(track) }
            }
        }
        if let meta = boxes.first(where: { $0.type == .meta }) { patches += joiningAssociations(of: meta) }
        guard !patches.isEmpty else { return self }
        return try ISOFile(patched(patches), format: .avif)
    }

    // MARK: - Tracks

    private static func child(_ types: [String], of box: ISOBox) -> ISOBox? {
        types.reduce(ISOBox?.some(box)) { box, type in
            box.flatMap { box in
                ISOBox.wholeBoxes(in: box.payload).first { $0.type == ISOBoxType(type) }
            }
        }
    }

    /// Returns whether a track contains images, or their alpha.
    private static func isShown(_ track: ISOBox) -> Bool {
        guard let handler = child(["mdia", "hdlr"], of: track), var box = ISOFullBox(handler.payload),
            box.reader.bytes(4) != nil, let type = box.reader.bigEndian(UInt32.self)
        else { return true }
        switch ISOBoxType(rawValue: type) {
        case ISOBoxType("pict"), ISOBoxType("vide"): return true
        case ISOBoxType("auxv"): return isAlpha(track)
        default: return false
        }
    }

    /// The size of a sample entry before its boxes (ISO/IEC 14496-12 section 12.1.3).
    private static let entryByteCount = 78

    private static func isAlpha(_ track: ISOBox) -> Bool {
        guard let table = child(["mdia", "minf", "stbl", "stsd"], of: track),
            let entry = ISOBox.wholeBoxes(in: table.payload.dropFirst(8)).first
        else { return true }
        let parts = ISOBox.wholeBoxes(in: entry.payload.dropFirst(entryByteCount))
        guard let kind = parts.first(where: { $0.type == ISOBoxType("auxi") })?.payload.dropFirst(4) else {
            return true
        }
        let name = String(decoding: kind.prefix { $0 != 0 }, as: UTF8.self)
        return name.hasSuffix(":alpha") || name == "urn:mpeg:hevc:2015:auxid:1"
    }

    private func hiding(_ box: ISOBox) -> [Patch] {
        let place = start(of: box) + 4
        // A box with a 64-bit size has a longer header.
        guard data.dropFirst(place).prefix(4).elementsEqual("trak".utf8) else { return [] }
        return [Patch(place: place, bytes: Array("free".utf8))]
    }

    // MARK: - Associations

    /// Returns the entries of a box of associations (ISO/IEC 23008-12 section 9.3), each with its item.
    private static func entries(of box: ISOBox) -> [(id: Int, indices: [UInt8])]? {
        guard var list = ISOFullBox(box.payload), let count = list.integer(byteCount: 4),
            count <= HEIFItems.maxCount
        else { return nil }
        let indexByteCount = list.flags & 1 == 1 ? 2 : 1
        var entries: [(id: Int, indices: [UInt8])] = []
        for _ in 0..<count {
            guard let id = list.integer(byteCount: list.version < 1 ? 2 : 4),
                let indexCount = list.integer(byteCount: 1),
                let indices = list.reader.bytes(indexCount * indexByteCount)
            else { return nil }
            entries.append((id, [UInt8](indices)))
        }
        return entries
    }

    private func joiningAssociations(of meta: ISOBox) -> [Patch] {
        let properties = ISOBox.wholeBoxes(in: meta.payload.dropFirst(4)).first {
            $0.type == ISOBoxType("iprp")
        }
        let lists = properties.map { ISOBox.wholeBoxes(in: $0.payload) } ?? []
        let boxes = lists.filter { $0.type == ISOBoxType("ipma") }
        guard boxes.count > 1, let last = boxes.last else { return [] }
        let isJoinable = zip(boxes, boxes.dropFirst()).allSatisfy { box, next in
            box.payload.endIndex + 8 == next.payload.startIndex
                && box.payload.prefix(4).elementsEqual(next.payload.prefix(4))
        }
        guard isJoinable, let head = ISOFullBox(boxes[0].payload) else { return [] }
        var joined: [Int: [UInt8]] = [:]
        for box in boxes {
            guard let entries = Self.entries(of: box) else { return [] }
            for entry in entries { joined[entry.id, default: []] += entry.indices }
        }
        let place = start(of: boxes[0])
        let byteCount = last.payload.endIndex - data.startIndex - place
        var bytes =
            Self.bigEndian(UInt32(byteCount)) + Array("ipma".utf8) + [UInt8](boxes[0].payload.prefix(4))
        bytes += Self.bigEndian(UInt32(joined.count))
        for (id, indices) in joined.sorted(by: { $0.key < $1.key }) {
            bytes += Self.bigEndian(UInt32(id)).suffix(head.version < 1 ? 2 : 4)
            let count = indices.count / (head.flags & 1 == 1 ? 2 : 1)
            guard let count = UInt8(exactly: count) else { return [] }
            bytes += [count] + indices
        }
        // As long as the replaced boxes, so that all offsets in the file stay valid.
        guard bytes.count <= byteCount else { return [] }
        bytes += [UInt8](repeating: 0, count: byteCount - bytes.count)
        return [Patch(place: place, bytes: bytes)]
    }
}
