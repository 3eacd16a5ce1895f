import CalotypeCore
import FoundationEssentials

/// A thumbnail of a HEIF file's image as a file of its own, which is decoded, and checked, as every other.
struct HEIFThumbnail {
    /// A file whose one item is the thumbnail, with its properties.
    let file: Data

    /// Takes the largest thumbnail of the primary item out of what has come of a file; fails where there is
    /// none.
    ///
    /// - Parameters:
    ///   - head: The bytes that have come, from the first on.
    ///   - format: HEIC or AVIF.
    ///   - type: How the thumbnail is to be coded; a grid is none.
    init?(_ head: Data, format: ImageFormat, type: ISOBoxType) {
        do throws(DecodeError) {
            let items = try HEIFItems(head, boxes: ISOBox.wholeBoxes(in: head, countMax: 256), format: format)
            var best: (id: Int, pixelCount: Int)?
            for id in (items.thumbnails[items.primary] ?? []).prefix(8) where items.items[id]?.type == type {
                let pixelCount = try items.statedSize(of: id)?.pixelCount ?? 0
                if pixelCount > best?.pixelCount ?? 0 { best = (id, pixelCount) }
            }
            guard let best, let item = items.items[best.id] else { return nil }
            let properties = item.properties.compactMap {
                items.properties.indices.contains($0 - 1) ? $0 : nil
            }
            file = try Self.file(
                brand: format == .avif ? "avif" : "heic",
                type: type,
                data: Data(items.bytes(of: item)),
                properties: properties.prefix(32).map { items.properties[$0 - 1] }
            )
        } catch {
            // What has not come, or is damaged, has no thumbnail; the decode of the image tells.
            return nil
        }
    }

    /// The properties without which an item cannot be shown as it is meant.
    private static let essential: Set<ISOBoxType> = Set(
        ["hvcC", "av1C", "clap", "irot", "imir"].map { ISOBoxType($0) }
    )

    private static func file(
        brand: String,
        type: ISOBoxType,
        data: Data,
        properties: [ISOBox]
    ) -> Data {
        let head = box("ftyp", Data(brand.utf8) + Data(count: 4) + Data(("mif1" + brand).utf8))
        func meta(offset: Int) -> Data {
            let location = Data([0x44, 0]) + integers16([1, 1, 0, 1]) + integers32([offset, data.count])
            let info = fullBox(
                "infe",
                version: 2,
                integers16([1, 0]) + integers32([Int(type.rawValue)]) + [0]
            )
            let links = properties.enumerated().map { index, property in
                UInt8(index + 1) | (essential.contains(property.type) ? 0x80 : 0)
            }
            let container = properties.reduce(Data()) { $0 + box($1.type, $1.payload) }
            return fullBox(
                "meta",
                fullBox("hdlr", Data(count: 4) + Data("pict".utf8) + Data(count: 13))
                    + fullBox("pitm", integers16([1])) + fullBox("iloc", location)
                    + fullBox("iinf", integers16([1]) + info)
                    + box(
                        "iprp",
                        box("ipco", container)
                            + fullBox("ipma", integers32([1]) + Data([0, 1, UInt8(links.count)] + links))
                    )
            )
        }
        let offset = head.count + meta(offset: 0).count + 8
        return head + meta(offset: offset) + box("mdat", data)
    }

    private static func box(_ name: String, _ payload: Data) -> Data { box(ISOBoxType(name), payload) }

    private static func box(_ type: ISOBoxType, _ payload: Data) -> Data {
        integers32([payload.count + 8, Int(type.rawValue)]) + payload
    }

    private static func fullBox(_ name: String, version: UInt8 = 0, _ payload: Data) -> Data {
        box(name, Data([version, 0, 0, 0]) + payload)
    }

    private static func integers16(_ values: [Int]) -> Data {
        Data(values.flatMap { [UInt8(truncatingIfNeeded: $0 >> 8), UInt8(truncatingIfNeeded: $0)] })
    }

    private static func integers32(_ values: [Int]) -> Data {
        Data(values.flatMap { value in [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) } })
    }
}
