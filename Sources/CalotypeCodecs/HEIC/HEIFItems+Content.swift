import CalotypeCore
import FoundationEssentials

/// The properties and the bytes of items.
extension HEIFItems {
    func properties(_ type: ISOBoxType, of id: Int) -> [ISOBox] {
        (items[id]?.properties ?? []).compactMap { index in
            guard index > 0, index <= properties.count, properties[index - 1].type == type else { return nil }
            return properties[index - 1]
        }
    }

    /// Returns the size that an item states (`ispe`), before its transformations.
    func statedSize(of id: Int) throws(DecodeError) -> PixelSize? {
        guard let property = properties(.spatialExtents, of: id).first else { return nil }
        return try size(property)
    }

    func size(_ property: ISOBox) throws(DecodeError) -> PixelSize {
        guard var box = ISOFullBox(property.payload),
            let width = box.integer(byteCount: 4), let height = box.integer(byteCount: 4)
        else { throw corrupt("the box \(property.type) is truncated") }
        let size = PixelSize(width: width, height: height)
        guard max(width, height) <= Self.maxSide else {
            throw exceeded("\(size) pixels; a side has at most \(Self.maxSide)")
        }
        return size
    }

    /// The maximum side of a frame of AV1, which exceeds that of HEVC.
    private static var maxSide: Int { 65_536 }

    /// Returns the maximum pixels of an item: the stated ones, or those stated by the item it represents.
    func pixelCount(of id: Int) throws(DecodeError) -> Int {
        var count = try statedSize(of: id)?.pixelCount ?? 0
        guard items[id]?.type == .identity else { return count }
        for input in inputs[id] ?? [] { count = max(count, try pixelCount(of: input)) }
        return count
    }

    func checkCodedSize(_ size: PixelSize, _ limits: DecodeLimits) throws(DecodeError) {
        try limits.checkCodedSize(size, format: format)
    }

    /// Returns the bytes of an item with its extents joined; a single extent is not copied.
    func bytes(of item: Item) throws(DecodeError) -> Data {
        var joined = Data()
        for extent in item.extents {
            let source = extent.isInItemData ? itemData : file
            guard extent.offset <= source.count else {
                throw DecodeError(.truncated, format: format, detail: "an item starts beyond the file")
            }
            let rest = source.dropFirst(extent.offset)
            let part = rest.prefix(extent.byteCount == 0 ? rest.count : extent.byteCount)
            guard part.count >= extent.byteCount else {
                throw DecodeError(.truncated, format: format, detail: "an item ends beyond the file")
            }
            guard joined.count + part.count <= file.count else {
                throw exceeded("an item is larger than the file")
            }
            if joined.isEmpty { joined = part } else { joined.append(part) }
        }
        return joined
    }
}
