import CalotypeCore
import FoundationEssentials

/// Checks before libheif and libavif read a file.
///
/// libheif 1.15 follows circular references without end, decodes an item as often as it is referenced, and
/// allocates the size of a stream or a grid regardless of the header. libavif 0.11 holds all tiles of a grid
/// at once.
extension HEIFItems {
    /// The maximum number of items in one decode: an image of 100 MP has 1,600 tiles of 256 × 256.
    static let maxDecodeCount = 2000
    /// The maximum nesting of items; real files have two levels.
    private static let maxDepth = 8
    /// The maximum number of pixels to decode and turn for one pixel of an image that is not small.
    ///
    /// Tiles in two columns and two rows may be cut to a quarter, and colour and alpha be cropped, turned and
    /// mirrored.
    static let maxWork = 10
    /// The minimum pixel count of an image for ``maxWork``; a smaller image counts as this many pixels.
    private static let minWorkPixelCount = 1 << 20

    /// Checks the items behind the primary item against the limits, and against their properties.
    ///
    /// - Parameters:
    ///   - limits: The limits of the decode.
    ///   - scalesItems: True if the library scales each item to its `ispe`, like libavif; false if it uses
    ///     the coded size, like libheif.
    /// - Throws: `DecodeError`.
    func check(_ limits: DecodeLimits, scalesItems: Bool = false) throws(DecodeError) {
        try checkStatedSizes(limits)
        var counts = DecodeCounts()
        for id in items.keys.sorted() { _ = try countDecodes(of: id, depth: 0, &counts) }
        let byteCount = counts.finished[primary]?.byteCount ?? 0
        guard byteCount / 2 <= limits.maxByteCount else {
            throw exceeded("\(byteCount) bytes to decode, some more than once")
        }
        let allByteCount = items.keys.reduce(0) { $0 + self.byteCount(of: $1) }
        guard allByteCount / 2 <= limits.maxByteCount else {
            throw exceeded("\(allByteCount) bytes of items in a file of \(file.count)")
        }
        try checkWork(limits, scalesItems: scalesItems)
    }

    /// True if nothing in the file has colours: each HEVC configuration is gray (ISO/IEC 14496-15 section
    /// 8.3.3.1).
    var isGray: Bool {
        let configurations = properties.filter { $0.type == .hevcConfiguration }
        return !configurations.isEmpty
            && configurations.allSatisfy { $0.payload.dropFirst(16).first.map { $0 & 3 } == 0 }
    }

    func exceeded(_ detail: String) -> DecodeError {
        DecodeError(.limitExceeded, format: format, detail: detail)
    }

    private func checkStatedSizes(_ limits: DecodeLimits) throws(DecodeError) {
        for property in properties where property.type == .spatialExtents {
            try checkCodedSize(try size(property), limits)
        }
    }

    // MARK: - References

    /// The cost of decoding an item.
    private struct Decodes {
        var count = 1
        var byteCount: Int
        /// The nesting of items in items.
        var depth = 1
    }

    private struct DecodeCounts {
        var finished: [Int: Decodes] = [:]
        /// Items whose inputs are being counted.
        var open: Set<Int> = []
    }

    /// Counts the items to decode for an item that is nested in others.
    private func countDecodes(
        of id: Int,
        depth: Int,
        _ counts: inout DecodeCounts
    ) throws(DecodeError) -> Decodes {
        let total: Decodes
        if let done = counts.finished[id] {
            total = done
        } else {
            guard counts.open.insert(id).inserted else { throw corrupt("item \(id) refers to itself") }
            guard depth < Self.maxDepth else { throw tooDeep }
            total = try countInputs(of: id, depth: depth, &counts)
            counts.open.remove(id)
            counts.finished[id] = total
        }
        guard depth + total.depth <= Self.maxDepth else { throw tooDeep }
        return total
    }

    private func countInputs(
        of id: Int,
        depth: Int,
        _ counts: inout DecodeCounts
    ) throws(DecodeError) -> Decodes {
        var total = Decodes(byteCount: byteCount(of: id))
        for next in [inputs, auxiliaries, thumbnails].flatMap({ $0[id] ?? [] }) {
            let part = try countDecodes(of: next, depth: depth + 1, &counts)
            total.count += part.count
            total.byteCount += part.byteCount
            total.depth = max(total.depth, part.depth + 1)
            guard total.count <= Self.maxDecodeCount else {
                throw exceeded("an image consists of more than \(Self.maxDecodeCount) items")
            }
        }
        return total
    }

    private var tooDeep: DecodeError { exceeded("items are nested deeper than \(Self.maxDepth)") }

    /// Returns the bytes of an item, counting each extent for at most the size of the file.
    private func byteCount(of id: Int) -> Int {
        (items[id]?.extents ?? []).reduce(0) { sum, extent in
            sum + (extent.byteCount == 0 ? file.count : min(extent.byteCount, file.count))
        }
    }

    // MARK: - Pixels

    private func checkWork(_ limits: DecodeLimits, scalesItems: Bool) throws(DecodeError) {
        var uses: [Int: Int] = [:]
        countUses(of: primary, &uses)
        let check = HEIFItemCheck(items: self, limits: limits, scalesItems: scalesItems)
        var total = HEIFItemCheck.Work()
        for (id, count) in uses.sorted(by: { $0.key < $1.key }) {
            let work = try check.work(of: id)
            total.pixelCount += work.pixelCount * count
            total.unitCount += work.unitCount * count
            guard total.unitCount <= HEVCUnits.maxCount else {
                throw exceeded("more than \(HEVCUnits.maxCount) units to decode")
            }
        }
        let pixelCount = max(try pixelCount(of: primary), Self.minWorkPixelCount)
        guard total.pixelCount / Self.maxWork <= pixelCount else {
            throw exceeded("\(total.pixelCount) pixels to decode or turn for \(pixelCount)")
        }
    }

    /// Counts how often each item is decoded for one; their number has been limited before.
    private func countUses(of id: Int, _ uses: inout [Int: Int]) {
        guard items[id] != nil else { return }
        uses[id, default: 0] += 1
        for next in (inputs[id] ?? []) + (auxiliaries[id] ?? []) { countUses(of: next, &uses) }
    }
}

extension ISOBoxType {
    static let hevcConfiguration = ISOBoxType("hvcC")
    static let av1Configuration = ISOBoxType("av1C")
    static let spatialExtents = ISOBoxType("ispe")
    static let grid = ISOBoxType("grid")
    static let overlay = ISOBoxType("iovl")
    static let identity = ISOBoxType("iden")
    static let hevcImage = ISOBoxType("hvc1")
    static let hevcImageWithSets = ISOBoxType("hev1")
    static let av1Image = ISOBoxType("av01")
    /// The clean aperture, the rotation and the mirror.
    static let transformations = ["clap", "irot", "imir"].map { ISOBoxType($0) }
}
