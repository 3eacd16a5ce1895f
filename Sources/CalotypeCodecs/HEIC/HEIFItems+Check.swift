import CalotypeCore
import CalotypeSupport
import FoundationEssentials

/// libheif 1.15 follows references without end where they form a ring, and allocates what a stream or a grid
/// states, whatever size the header has. So all of that is checked before it sees the file.
extension HEIFItems {
    /// The most items that one decode may go through: a picture of 100 MP has 1,600 tiles of 256 × 256.
    static let decodeCountMax = 2000
    /// The most NAL units in all items.
    private static let unitCountMax = 50_000
    /// How deep items may be made of items; real files have two levels.
    private static let depthMax = 8

    /// Checks all items against the limits.
    ///
    /// - Throws: ``DecodeError``.
    func check(_ limits: DecodeLimits) throws(DecodeError) {
        try checkStatedSizes(limits)
        var counts = DecodeCounts()
        for id in items.keys { _ = try countDecodes(of: id, depth: 0, &counts) }
        let byteCount = counts.finished[primary]?.byteCount ?? 0
        guard byteCount / 2 <= limits.byteCountMax else {
            throw exceeded("\(byteCount) bytes to decode, some more than once")
        }
        let allByteCount = items.keys.reduce(0) { $0 + self.byteCount(of: $1) }
        guard allByteCount / 2 <= limits.byteCountMax else {
            throw exceeded("items of \(allByteCount) bytes in a file of \(file.count)")
        }
        var unitCount = 0
        for item in items.values { try check(item, limits, &unitCount) }
    }

    /// Whether nothing in the file has colours: each HEVC configuration is one of gray (ISO/IEC 14496-15
    /// section 8.3.3.1).
    var isGray: Bool {
        let configurations = properties.filter { $0.type == .hevcConfiguration }
        return !configurations.isEmpty
            && configurations.allSatisfy { $0.payload.dropFirst(16).first.map { $0 & 3 } == 0 }
    }

    private func exceeded(_ detail: String) -> DecodeError {
        DecodeError(.limitExceeded, format: format, detail: detail)
    }

    private func checkStatedSizes(_ limits: DecodeLimits) throws(DecodeError) {
        for property in properties where property.type == .spatialExtents {
            guard var box = ISOFullBox(property.payload),
                let width = box.integer(byteCount: 4), let height = box.integer(byteCount: 4)
            else { throw corrupt("the box \(property.type) ends too early") }
            try checkCodedSize(PixelSize(width: width, height: height), limits)
        }
    }

    /// Codecs code whole blocks, of which the file then shows a part: as much as a block more than the limit
    /// is let through on each side.
    private func checkCodedSize(_ size: PixelSize, _ limits: DecodeLimits) throws(DecodeError) {
        guard !size.isEmpty else { return try limits.checkSize(size, format: format) }
        let shownAtLeast = PixelSize(
            width: max(1, size.width - Self.blockSide + 1),
            height: max(1, size.height - Self.blockSide + 1)
        )
        try limits.checkSize(shownAtLeast, format: format)
    }

    /// The greatest side of a block (ITU-T H.265 section 7.4.3.2.1).
    private static let blockSide = 64

    // MARK: - References

    private struct DecodeCounts {
        /// Items that are done, and how many decodes each of them takes, of how many bytes.
        var finished: [Int: (count: Int, byteCount: Int)] = [:]
        /// Items whose inputs are being counted.
        var open: Set<Int> = []
    }

    private func countDecodes(
        of id: Int,
        depth: Int,
        _ counts: inout DecodeCounts
    ) throws(DecodeError) -> (count: Int, byteCount: Int) {
        if let done = counts.finished[id] { return done }
        guard counts.open.insert(id).inserted else { throw corrupt("item \(id) is made of itself") }
        guard depth < Self.depthMax else { throw exceeded("items are nested deeper than \(Self.depthMax)") }
        var total = (count: 1, byteCount: byteCount(of: id))
        for next in [inputs, auxiliaries, thumbnails].flatMap({ $0[id] ?? [] }) {
            let part = try countDecodes(of: next, depth: depth + 1, &counts)
            total = (total.count + part.count, total.byteCount + part.byteCount)
            guard total.count <= Self.decodeCountMax else {
                throw exceeded("an image is made of more than \(Self.decodeCountMax) items")
            }
        }
        counts.open.remove(id)
        counts.finished[id] = total
        return total
    }

    /// The bytes of an item, none of its extents counted for more than the file has.
    private func byteCount(of id: Int) -> Int {
        (items[id]?.extents ?? []).reduce(0) { sum, extent in
            sum + (extent.byteCount == 0 ? file.count : min(extent.byteCount, file.count))
        }
    }

    // MARK: - What the items hold

    private func check(_ item: Item, _ limits: DecodeLimits, _ unitCount: inout Int) throws(DecodeError) {
        switch item.type {
        case ISOBoxType("grid"): try checkCanvas(item, limits, integersBefore: 0)
        case ISOBoxType("iovl"): try checkCanvas(item, limits, integersBefore: 8)
        case ISOBoxType("hvc1"), ISOBoxType("hev1"): try checkUnits(of: item, limits, &unitCount)
        default: break
        }
    }

    /// A grid (ISO/IEC 23008-12 section 6.6.2.3) or an overlay: a version, flags whose first bit says how
    /// long integers are, two bytes of the grid or eight of a colour, the size.
    private func checkCanvas(
        _ item: Item,
        _ limits: DecodeLimits,
        integersBefore: Int
    ) throws(DecodeError) {
        var reader = ByteReader(try bytes(of: item))
        guard reader.bytes(1) != nil, let flags = reader.bigEndian(UInt8.self) else {
            throw corrupt("a grid ends too early")
        }
        guard reader.bytes(integersBefore == 0 ? 2 : integersBefore) != nil else {
            throw corrupt("a grid ends too early")
        }
        let sides = (0..<2).compactMap { _ in
            flags & 1 == 0
                ? reader.bigEndian(UInt16.self).map(Int.init) : reader.bigEndian(UInt32.self).map(Int.init)
        }
        guard sides.count == 2 else { throw corrupt("a grid ends too early") }
        try limits.checkSize(PixelSize(width: sides[0], height: sides[1]), format: format)
    }

    /// Each picture that the decoder would make room for counts, in the largest size that is stated.
    private func checkUnits(
        of item: Item,
        _ limits: DecodeLimits,
        _ unitCount: inout Int
    ) throws(DecodeError) {
        var units: [Data] = []
        for index in item.properties where (1...max(1, properties.count)).contains(index) {
            guard index <= properties.count, properties[index - 1].type == .hevcConfiguration else {
                continue
            }
            units += try configurationUnits(properties[index - 1].payload)
        }
        units += try streamUnits(try bytes(of: item), room: Self.unitCountMax - unitCount)
        unitCount += units.count
        let pictureCount = max(1, units.count { HEVCUnit.startsPicture($0) })
        for unit in units {
            guard let stated = HEVCParameterSet(unit) else { continue }
            try checkCodedSize(stated.size, limits)
            guard pictureCount == 1 || stated.size.pixelCount <= limits.pixelCountMax / pictureCount else {
                throw exceeded("\(pictureCount) pictures of \(stated.size) in one item")
            }
        }
    }

    /// The parameter sets of a configuration record (ISO/IEC 14496-15 section 8.3.3.1).
    private func configurationUnits(_ payload: Data) throws(DecodeError) -> [Data] {
        var reader = ByteReader(payload.dropFirst(22))
        var units: [Data] = []
        guard let arrayCount = reader.bigEndian(UInt8.self) else {
            throw corrupt("a configuration is cut off")
        }
        for _ in 0..<arrayCount {
            guard reader.bytes(1) != nil, let count = reader.bigEndian(UInt16.self) else {
                throw corrupt("a configuration is cut off")
            }
            for _ in 0..<count {
                guard let byteCount = reader.bigEndian(UInt16.self), let unit = reader.bytes(Int(byteCount))
                else { throw corrupt("a configuration is cut off") }
                units.append(unit)
            }
        }
        return units
    }

    /// The units of a stream, each after its length of four bytes, as libheif takes them.
    private func streamUnits(_ stream: Data, room: Int) throws(DecodeError) -> [Data] {
        var reader = ByteReader(stream)
        var units: [Data] = []
        while let byteCount = reader.bigEndian(UInt32.self), let unit = reader.bytes(Int(byteCount)) {
            guard units.count < room else {
                throw exceeded("more than \(Self.unitCountMax) units in the streams of the items")
            }
            units.append(unit)
        }
        return units
    }

    /// The bytes of an item, its extents joined; they are not copied where there is one.
    private func bytes(of item: Item) throws(DecodeError) -> Data {
        var joined = Data()
        for extent in item.extents {
            let source = extent.isInItemData ? itemData : file
            guard extent.offset <= source.count else {
                throw DecodeError(.truncated, format: format, detail: "an item lies beyond the end")
            }
            let rest = source.dropFirst(extent.offset)
            let part = rest.prefix(extent.byteCount == 0 ? rest.count : extent.byteCount)
            guard part.count >= extent.byteCount else {
                throw DecodeError(.truncated, format: format, detail: "an item goes on beyond the end")
            }
            guard joined.count + part.count <= file.count else {
                throw exceeded("an item of more bytes than the file has")
            }
            if joined.isEmpty { joined = part } else { joined.append(part) }
        }
        return joined
    }
}

extension ISOBoxType {
    static let hevcConfiguration = ISOBoxType("hvcC")
    static let spatialExtents = ISOBoxType("ispe")
}
