import CalotypeCore
import FoundationEssentials

/// A thumbnail of a HEIF file as a file of its own, which is checked and decoded like any other.
struct HEIFThumbnail {
    /// A file with the thumbnail as its only item, and its properties.
    let file: Data

    /// Extracts the largest thumbnail of the primary item from the available bytes; fails without one.
    ///
    /// - Parameters:
    ///   - head: The available bytes from the beginning of the file.
    ///   - format: HEIC or AVIF.
    ///   - type: The required item type; a grid is not supported.
    init?(_ head: Data, format: ImageFormat, type: ISOBoxType) {
        do throws(DecodeError) {
            let items = try HEIFItems(head, boxes: ISOBox.wholeBoxes(in: head, maxCount: 256), format: format)
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
            // A missing or damaged thumbnail counts as none; the decode of the image reports damage.
            return nil
        }
    }

    /// The properties required to show an item correctly.
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
