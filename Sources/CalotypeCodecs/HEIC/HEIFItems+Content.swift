import CalotypeCore
import FoundationEssentials

/// What is said of an item, and its bytes.
extension HEIFItems {
    /// The properties of a type that belong to an item.
    func properties(_ type: ISOBoxType, of id: Int) -> [ISOBox] {
        (items[id]?.properties ?? []).compactMap { index in
            guard index > 0, index <= properties.count, properties[index - 1].type == type else { return nil }
            return properties[index - 1]
        }
    }

    /// The size that an item states (`ispe`), before its transformations.
    func statedSize(of id: Int) throws(DecodeError) -> PixelSize? {
        guard let property = properties(.spatialExtents, of: id).first else { return nil }
        return try size(property)
    }

    /// What a box `ispe` says.
    func size(_ property: ISOBox) throws(DecodeError) -> PixelSize {
        guard var box = ISOFullBox(property.payload),
            let width = box.integer(byteCount: 4), let height = box.integer(byteCount: 4)
        else { throw corrupt("the box \(property.type) ends too early") }
        let size = PixelSize(width: width, height: height)
        guard max(width, height) <= Self.sideMax else {
            throw exceeded("\(size) pixels; a side has at most \(Self.sideMax)")
        }
        return size
    }

    /// The longest side of a frame of AV1; one of HEVC is shorter.
    private static var sideMax: Int { 65_536 }

    /// How many pixels there may be in an item: those that it states, or that what it stands for states.
    func pixelCount(of id: Int) throws(DecodeError) -> Int {
        var count = try statedSize(of: id)?.pixelCount ?? 0
        guard items[id]?.type == .identity else { return count }
        for input in inputs[id] ?? [] { count = max(count, try pixelCount(of: input)) }
        return count
    }

    func checkCodedSize(_ size: PixelSize, _ limits: DecodeLimits) throws(DecodeError) {
        try limits.checkCodedSize(size, format: format)
    }

    /// The bytes of an item, its extents joined; they are not copied where there is one.
    func bytes(of item: Item) throws(DecodeError) -> Data {
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
