import CalotypeCore
import CalotypeSupport
import FoundationEssentials

/// Checks an item that will be decoded: its bytes must match its properties, and a grid must be covered by
/// its tiles (ISO/IEC 23000-22 section 7.3.11.4.2).
///
/// libheif 1.15 shows the previous content of a canvas's memory in undrawn areas.
struct HEIFItemCheck {
    /// The cost of decoding an item once, without its input items.
    struct Work {
        /// The number of pixels to decode, turn, mirror or crop.
        var pixelCount = 0
        var unitCount = 0
    }

    let items: HEIFItems
    let limits: DecodeLimits
    /// See ``HEIFItems/check(_:scalesItems:)``.
    let scalesItems: Bool

    func work(of id: Int) throws(DecodeError) -> Work {
        guard let item = items.items[id] else { return Work() }
        let single = ISOBoxType.transformations + [.hevcConfiguration, .av1Configuration, .spatialExtents]
        for type in single {
            let count = items.properties(type, of: id).count
            guard count <= 1 else { throw items.corrupt("item \(id) has \(count) \(type) boxes") }
        }
        var work = Work()
        switch item.type {
        case .grid: try checkGrid(id, item)
        case .overlay: try checkCanvas(id, try canvas(of: item, integersBefore: 8).size)
        case .hevcImage, .hevcImageWithSets: work = try hevcWork(of: id, item)
        case .av1Image: work = try av1Work(of: id, item)
        default: break
        }
        let turns = ISOBoxType.transformations.count { !items.properties($0, of: id).isEmpty }
        work.pixelCount += turns * (try items.pixelCount(of: id))
        return work
    }

    private func requireSize(_ size: PixelSize, of id: Int) throws(DecodeError) {
        let stated = try items.statedSize(of: id)
        let isRight =
            scalesItems
            ? stated.map { size.width <= $0.width && size.height <= $0.height } ?? true : stated == size
        guard isRight else {
            if let stated { try limits.checkSize(stated, format: items.format) }
            let expected = stated.map { "\($0)" } ?? "no size"
            throw items.corrupt("item \(id) has \(size) pixels, but its box ispe states \(expected)")
        }
    }

    // MARK: - Grids

    /// Reads the canvas of a grid (ISO/IEC 23008-12 section 6.6.2.3) or an overlay: a version, flags whose
    /// first bit selects the size of integers, two bytes of the grid or eight of a colour, the size.
    private func canvas(
        of item: HEIFItems.Item,
        integersBefore: Int
    ) throws(DecodeError) -> (rows: Int, columns: Int, size: PixelSize) {
        var reader = ByteReader(try items.bytes(of: item))
        guard reader.bytes(1) != nil, let flags = reader.bigEndian(UInt8.self),
            let head = reader.bytes(integersBefore)
        else { throw items.corrupt("a grid is truncated") }
        let sides = (0..<2).compactMap { _ in
            flags & 1 == 0
                ? reader.bigEndian(UInt16.self).map(Int.init) : reader.bigEndian(UInt32.self).map(Int.init)
        }
        guard sides.count == 2 else { throw items.corrupt("a grid is truncated") }
        let counts = head.prefix(2).map { Int($0) + 1 }
        return (counts[0], counts[1], PixelSize(width: sides[0], height: sides[1]))
    }

    private func checkCanvas(_ id: Int, _ size: PixelSize) throws(DecodeError) {
        try limits.checkSize(size, format: items.format)
        try requireSize(size, of: id)
    }

    private func checkGrid(_ id: Int, _ item: HEIFItems.Item) throws(DecodeError) {
        let grid = try canvas(of: item, integersBefore: 2)
        try checkCanvas(id, grid.size)
        let tiles = items.inputs[id] ?? []
        guard tiles.count == grid.rows * grid.columns else {
            throw items.corrupt("a grid of \(grid.rows) × \(grid.columns) has \(tiles.count) tiles")
        }
        let tileSize = try checkedSize(ofTile: tiles[0])
        guard Self.covers(tileSize.width, count: grid.columns, side: grid.size.width),
            Self.covers(tileSize.height, count: grid.rows, side: grid.size.height)
        else {
            let tiles = "\(grid.rows) × \(grid.columns) tiles of \(tileSize)"
            throw items.corrupt("\(tiles) do not cover a canvas of \(grid.size), or lie beyond it")
        }
        let hasAlpha = items.auxiliaries[tiles[0]] != nil
        for tile in Set(tiles).sorted() {
            guard try checkedSize(ofTile: tile) == tileSize else {
                throw items.corrupt("the tiles of a grid have several sizes")
            }
            try checkAlpha(ofTile: tile, tileSize, isWanted: hasAlpha)
        }
    }

    /// Returns whether a number of tiles covers a side, and none lies beyond it.
    private static func covers(_ tileSide: Int, count: Int, side: Int) -> Bool {
        tileSide * count >= side && tileSide * (count - 1) < side
    }

    /// Returns the size of a tile, which must be an image of its stated size that is shown as coded.
    private func checkedSize(ofTile id: Int) throws(DecodeError) -> PixelSize {
        guard let type = items.items[id]?.type, [.hevcImage, .hevcImageWithSets, .av1Image].contains(type)
        else { throw unsupported("a grid of items other than coded images") }
        if !scalesItems {
            for type in ISOBoxType.transformations where !items.properties(type, of: id).isEmpty {
                throw unsupported("a tile with a box \(type)")
            }
        }
        let stated = try items.statedSize(of: id)
        guard type == .av1Image else {
            guard let stated else { throw items.corrupt("item \(id) has no size") }
            return stated
        }
        guard let stream = try av1Stream(of: id), let coded = stream.size, stated ?? coded == coded else {
            throw items.corrupt("tile \(id) does not have its stated size")
        }
        guard !stream.hasOwnFrameSize else {
            throw unsupported("a tile whose frame and sequence differ in size")
        }
        return coded
    }

    /// libheif assumes that a tile's alpha has the tile's size, and that all tiles have alpha like the first.
    private func checkAlpha(ofTile id: Int, _ size: PixelSize, isWanted: Bool) throws(DecodeError) {
        let alphas = items.auxiliaries[id] ?? []
        guard !alphas.isEmpty == isWanted else { throw unsupported("a grid with alpha in some of its tiles") }
        for alpha in alphas where try checkedSize(ofTile: alpha) != size {
            throw unsupported("a tile whose alpha differs in size")
        }
    }

    private func unsupported(_ detail: String) -> DecodeError {
        DecodeError(.unsupportedFeature, format: items.format, detail: detail)
    }

    // MARK: - AV1

    private func av1Stream(of id: Int) throws(DecodeError) -> AV1Stream? {
        guard let item = items.items[id] else { return nil }
        return AV1Stream(
            configuration: items.properties(.av1Configuration, of: id).first?.payload ?? Data(),
            item: try items.bytes(of: item)
        )
    }

    private func av1Work(of id: Int, _ item: HEIFItems.Item) throws(DecodeError) -> Work {
        guard let stream = try av1Stream(of: id), let size = stream.size else {
            throw items.corrupt("item \(id) is not a valid AV1 stream")
        }
        try items.checkCodedSize(size, limits)
        try requireSize(size, of: id)
        return Work(pixelCount: size.pixelCount * max(1, stream.frameCount))
    }

    // MARK: - HEVC

    private func hevcWork(of id: Int, _ item: HEIFItems.Item) throws(DecodeError) -> Work {
        var units = HEVCUnits(items.format)
        if let configuration = items.properties(.hevcConfiguration, of: id).first {
            try units.append(configuration: configuration.payload)
        }
        // libheif assumes lengths of four bytes regardless of the configuration.
        _ = try units.append(stream: try items.bytes(of: item), lengthByteCount: 4)
        var pixelCount = 0
        for unit in units.parameterSets {
            guard let set = HEVCParameterSet(unit) else {
                throw items.corrupt("item \(id) has a truncated parameter set")
            }
            try items.checkCodedSize(set.codedSize, limits)
            try requireSize(set.size, of: id)
            pixelCount = max(pixelCount, set.codedSize.pixelCount)
        }
        let pictureCount = units.pictureCount
        guard pictureCount <= 1 else { throw items.corrupt("\(pictureCount) pictures in item \(id)") }
        pixelCount += pixelCount / HEVCUnits.slicesOfPicture * max(0, units.sliceCount - 1)
        return Work(pixelCount: pixelCount, unitCount: units.units.count)
    }
}
